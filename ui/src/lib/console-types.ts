/** Shapes of the session API, written by hand until a generated document replaces this file. */
import type { components } from '../generated/api';

export type Role = 'ADMINISTRATOR' | 'DEVELOPER' | 'OPERATOR' | 'TRIAL';

export interface Session {
  account: { id: string; email: string; name: string; role: Role };
  tenant: { id: string; name: string; plan: string };
  csrf_token: string;
  expires_at: string;
  /** The tenant requires a second factor, and the account has none: nothing else can be done before. */
  must_enrol: boolean;
}

export type FactorMethod = 'totp' | 'passkey' | 'recovery_code';

/** The password was right, and the second factor is to come. */
export interface PendingLogIn {
  second_factor: { methods: FactorMethod[]; expires_at: string };
}

export interface Passkey {
  id: string;
  name: string;
  /** The host name of the console where it works. */
  host: string;
  created_at: string;
  last_used_at: string | null;
}

export interface SecondFactors {
  totp: { created_at: string; last_used_at: string | null } | null;
  passkeys: Passkey[];
  /** How many are left. */
  recovery_codes: number;
  required: boolean;
  has_password: boolean;
  /** Whether adding a factor needs the password again. */
  password_needed: boolean;
}

/** Recovery codes come with the first factor, once. */
export interface EnrolledFactor {
  recovery_codes: string[] | null;
}

export type TokenState = 'active' | 'revoked' | 'expired' | 'account_removed' | 'account_disabled' | 'role_denied' | 'password_changed';

export interface Token {
  id: string;
  name: string;
  scopes: string[];
  networks: string[];
  rate_limit: number | null;
  account_id: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  last_used_address: string | null;
  rotation_due: boolean;
  state: TokenState;
}

export type TokenWithValue = Token & { token: string };

export interface NewToken {
  name: string;
  scopes: string[];
  expires_at: string | null;
  networks?: string[];
  rate_limit?: number | null;
  account_id?: string;
}

export interface Account {
  id: string;
  email: string;
  name: string;
  role: Role;
  disabled: boolean;
  created_at: string;
}

/** An account as the list has it. */
export interface AccountDetails extends Account {
  has_password: boolean;
  has_second_factor: boolean;
  last_log_in_at: string | null;
}

export interface AuditEntry {
  id: string;
  at: string;
  actor: string;
  action: string;
  subject: string;
  details: unknown;
  address: string | null;
  request_id: string | null;
}

export interface LogInOptions {
  /** Whether the server can send a link by e-mail to a person who lost the password. */
  password_reset: boolean;
  /** A log-in begins at `/console/oidc/{id}?next=`, which is a page of the server and not a call. */
  oidc: { id: string; name: string }[];
}

/** What a one-time link is for. The link is `/console/set-up#{code}`: a fragment is in no log. */
export interface OneTimeLink {
  purpose: 'setup' | 'invitation' | 'reset';
  email: string;
  name: string;
  tenant_name: string;
  expires_at: string;
}

export interface SessionEntry {
  id: string;
  current: boolean;
  created_at: string;
  last_used_at: string;
  expires_at: string;
  address: string | null;
  user_agent: string | null;
}

export interface IssuedLink {
  url: string;
  expires_at: string;
  /** Whether the server sent it by e-mail. */
  mailed: boolean;
  /** Why it could not be sent, where a mail server is configured. */
  mail_error?: string;
}

export interface HealthReport {
  version: string;
  started_at: string;
  public_url: string;
  database: { kind: 'sqlite' | 'postgres'; size_bytes: number | null };
  nodes: { id: string; address: string; version: string; started_at: string; last_seen_at: string; current: boolean }[];
  checks: { name: string; state: 'ok' | 'warn' | 'bad'; detail: string }[];
}

export interface SettingsReport {
  /** `value` is masked where the setting is a secret. */
  settings: { name: string; value: string; source: 'default' | 'file' | 'environment' | 'flag'; description: string }[];
}

export type CheckState = 'ok' | 'warn' | 'bad';

export interface PlanReport {
  name: string;
  features: { name: string; included: boolean }[];
  /** Null: no limit. */
  monthly_calls: number | null;
  /** Null: not counted, since there is no limit. */
  used_this_month: number | null;
  month_ends_at: string;
  rate_window_seconds: number;
  rates: { family: string; limit: number | null }[];
  media: { used_bytes: number; files: number; quota_bytes: number; keep_days: number };
}

export interface QueuesReport {
  queues: { name: string; waiting: number; oldest_at: string | null; state: CheckState }[];
  endpoints: { id: string; url: string; status: string; behind: number; oldest_at: string | null; failing_since: string | null; failed_in_a_row: number; reason: string | null; state: CheckState }[];
  leases: { name: string; holder: string; expires_at: string }[];
  /** Counts end here. */
  most: number;
}

export interface AlertSettings {
  emails: string[];
  webhook_url: string | null;
  kinds: Record<string, boolean>;
}

export interface AlertReport extends AlertSettings {
  mail_available: boolean;
  recent: { id: string; kind: string; subject: string; title: string; detail: string; began_at: string; ended_at: string | null; pending: boolean; emails: number; webhook_status: number | null; error: string | null }[];
}

export interface Done {
  result: boolean;
}

/** Each call of the session API: method and path under `/console/api/`. */
export interface ConsoleOperations {
  'POST session': { body: { email: string; password: string }; answer: Session | PendingLogIn };
  'POST session/second-factor': { body: { code: string } | { recovery_code: string } | { passkey: unknown }; answer: Session };
  'POST session/second-factor/passkey': { answer: PublicKeyCredentialRequestOptionsJSON };
  'GET second-factors': { answer: SecondFactors };
  'POST second-factors/totp': { body: { password?: string }; answer: { secret: string; uri: string } };
  'PUT second-factors/totp': { body: { code: string }; answer: EnrolledFactor };
  'DELETE second-factors/totp': { body: { password: string }; answer: Done };
  'POST second-factors/passkeys': { body: { password?: string }; answer: PublicKeyCredentialCreationOptionsJSON };
  'PUT second-factors/passkeys': { body: { name: string; credential: unknown }; answer: EnrolledFactor };
  'DELETE second-factors/passkeys/{id}': { path: { id: string }; body: { password: string }; answer: Done };
  'POST second-factors/recovery-codes': { body: { password: string }; answer: { recovery_codes: string[] } };
  'DELETE accounts/{id}/second-factors': { path: { id: string }; answer: Done };
  'GET security': { answer: { second_factor_required: boolean } };
  'PUT security': { body: { second_factor_required: boolean }; answer: { second_factor_required: boolean } };
  'GET session': { answer: Session };
  'DELETE session': { answer: Done };
  'POST log-out-everywhere': { answer: Done };
  'PUT password': { body: { current: string; new: string }; answer: Done };
  'GET tokens': { answer: { tokens: Token[] } };
  'POST tokens': { body: NewToken; answer: TokenWithValue };
  'DELETE tokens/{id}': { path: { id: string }; answer: Done };
  'POST tokens/{id}/renew': { path: { id: string }; body: { overlap_seconds?: number; expires_at?: string | null }; answer: TokenWithValue };
  'POST legacy-token': { answer: { token: string } };
  'GET accounts': { answer: { accounts: AccountDetails[] } };
  'POST accounts': { body: { email: string; name?: string; role: Role; password?: string }; answer: Account };
  'PATCH accounts/{id}': { path: { id: string }; body: { role?: Role; disabled?: boolean; password?: string }; answer: Account };
  'DELETE accounts/{id}': { path: { id: string }; answer: Done };
  'GET log-in-options': { answer: LogInOptions };
  'POST set-up/inspect': { body: { code: string }; answer: OneTimeLink };
  'POST set-up': { body: { code: string; password: string }; answer: Session | PendingLogIn };
  'POST password-reset': { body: { email: string }; answer: Done };
  'GET sessions': { answer: { sessions: SessionEntry[] } };
  'DELETE sessions/{id}': { path: { id: string }; answer: Done };
  'POST invitations': { body: { email: string; name?: string; role: Role }; answer: { account: Account; link: IssuedLink } };
  'POST accounts/{id}/link': { path: { id: string }; answer: IssuedLink };
  'GET health': { answer: HealthReport };
  'GET plan': { answer: PlanReport };
  'GET queues': { answer: QueuesReport };
  'GET alerts': { answer: AlertReport };
  'PUT alerts': { body: AlertSettings; answer: AlertReport };
  'POST alerts/test': { answer: { emails: number; webhook_status: number | null; error: string | null } };
  'GET settings': { answer: SettingsReport };
  'GET audit': { query: { limit?: number }; answer: { entries: AuditEntry[] } };
}

type Schemas = components['schemas'];
export type Call = Schemas['Call'];
export type Webhook = Schemas['Webhook'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type WebhookAttempt = Schemas['WebhookAttempt'];
export type CallCounts = Schemas['CallCounts'];
export type RecoveryPreview = Schemas['WebhookRecoveryPreview'];
export type RecoveryProgress = Schemas['WebhookRecoveryProgress'];
export type SandboxPerson = Schemas['SandboxPerson'];
export type SandboxMessage = Schemas['SandboxMessage'];
export type ApiEvent = Omit<Schemas['Event'], 'payload'> & { payload: unknown };
