/**
 * Calls that the console makes and the server does not have yet: path under `/console/api/`, request and answer.
 * A page whose call answers 404 shows the rest of itself. A call moves to `console-types.ts`, or into the public
 * document, when the server has it.
 */
import type { Account, Done, Role, Session, WebhookAttempt } from './console-types';

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
}

/** Members that the list of accounts gains. */
export interface AccountDetails {
  has_password?: boolean;
  last_log_in_at?: string | null;
}

export interface CallCounts {
  /** One for each day of the viewer's zone between the first and the last call, days without calls too. */
  days: {
    day: string;
    inbound: number;
    outbound: number;
    /** Completed or in progress. */
    answered: number;
    missed: number;
    failed: number;
    /** Sum over completed calls. */
    duration_seconds: number;
    completed: number;
  }[];
  total: number;
}

export interface CallFilters {
  direction?: string;
  operator?: string;
  min_duration?: string;
  max_duration?: string;
  start_date?: string;
  end_date?: string;
}

export interface WebhookSummary {
  hours: number;
  delivered: number;
  failed_at_first: number;
  waiting: number;
  p99_ms: number | null;
}

/** Members that an attempt gains. */
export type AttemptDetails = WebhookAttempt & {
  request_headers?: Record<string, string>;
  response_headers?: Record<string, string>;
  /** Started by a person or a recovery, not by the schedule. */
  redelivery?: boolean;
};

export interface RecoveryPreview {
  deliveries: number;
  events: number;
  given_up: number;
}

export interface RecoveryProgress {
  state: 'running' | 'done' | 'canceled';
  since: string;
  until: string | null;
  total: number;
  delivered: number;
  failed: number;
}

export interface HealthReport {
  version: string;
  started_at: string;
  public_url: string;
  database: { kind: 'sqlite' | 'postgres'; size_bytes: number | null };
  nodes: { id: string; address: string; last_seen_at: string; current: boolean }[];
  checks: { name: string; state: 'ok' | 'warn' | 'bad'; detail: string }[];
}

export interface SettingsReport {
  /** `value` is masked where the setting is a secret. */
  settings: { name: string; value: string; source: 'default' | 'file' | 'environment' | 'flag'; description: string }[];
}

export interface PlannedOperations {
  'GET log-in-options': { answer: LogInOptions };
  'POST set-up/inspect': { body: { code: string }; answer: OneTimeLink };
  'POST set-up': { body: { code: string; password: string }; answer: Session };
  'POST password-reset': { body: { email: string }; answer: Done };
  'GET sessions': { answer: { sessions: SessionEntry[] } };
  'DELETE sessions/{id}': { path: { id: string }; answer: Done };
  'POST invitations': { body: { email: string; name?: string; role: Role }; answer: { account: Account; link: IssuedLink } };
  'POST accounts/{id}/link': { path: { id: string }; answer: IssuedLink };
  'GET calls/counts': { query: CallFilters & { by: 'day'; time_zone: string }; answer: CallCounts };
  'GET webhooks/samples': { answer: { samples: Record<string, unknown> } };
  'GET webhooks/{id}/summary': { path: { id: string }; answer: WebhookSummary };
  /** Counts what a recovery would bring and changes nothing. `POST webhooks/{id}/recover` gains an optional `until`. */
  'GET webhooks/{id}/recovery/preview': { path: { id: string }; query: { since: string; until?: string }; answer: RecoveryPreview };
  'GET webhooks/{id}/recovery': { path: { id: string }; answer: RecoveryProgress };
  'DELETE webhooks/{id}/recovery': { path: { id: string }; answer: Done };
  'PUT sandbox/people/{person}/phone': { path: { person: string }; body: { online: boolean }; answer: { online: boolean } };
  'GET health': { answer: HealthReport };
  'GET settings': { answer: SettingsReport };
}
