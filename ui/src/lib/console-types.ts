/** Shapes of the session API, written by hand until a generated document replaces this file. */
import type { components } from '../generated/api';

export type Role = 'ADMINISTRATOR' | 'DEVELOPER' | 'OPERATOR' | 'TRIAL';

export interface Session {
  account: { id: string; email: string; name: string; role: Role };
  tenant: { id: string; name: string; plan: string };
  csrf_token: string;
  expires_at: string;
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

export interface Done {
  result: boolean;
}

/** Each call of the session API: method and path under `/console/api/`. */
export interface ConsoleOperations {
  'POST session': { body: { email: string; password: string }; answer: Session };
  'GET session': { answer: Session };
  'DELETE session': { answer: Done };
  'POST log-out-everywhere': { answer: Done };
  'PUT password': { body: { current: string; new: string }; answer: Done };
  'GET tokens': { answer: { tokens: Token[] } };
  'POST tokens': { body: NewToken; answer: TokenWithValue };
  'DELETE tokens/{id}': { path: { id: string }; answer: Done };
  'POST tokens/{id}/renew': { path: { id: string }; body: { overlap_seconds?: number; expires_at?: string | null }; answer: TokenWithValue };
  'POST legacy-token': { answer: { token: string } };
  'GET accounts': { answer: { accounts: Account[] } };
  'POST accounts': { body: { email: string; name?: string; role: Role; password?: string }; answer: Account };
  'PATCH accounts/{id}': { path: { id: string }; body: { role?: Role; disabled?: boolean; password?: string }; answer: Account };
  'DELETE accounts/{id}': { path: { id: string }; answer: Done };
  'GET audit': { query: { limit?: number }; answer: { entries: AuditEntry[] } };
}

type Schemas = components['schemas'];
export type Call = Schemas['Call'];
export type Webhook = Schemas['Webhook'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type WebhookAttempt = Schemas['WebhookAttempt'];
export type SandboxPerson = Schemas['SandboxPerson'];
export type SandboxMessage = Schemas['SandboxMessage'];
export type ApiEvent = Omit<Schemas['Event'], 'payload'> & { payload: unknown };
