/** Shapes of the API that several pages name. */
import type { components } from '../generated/api';

type Schemas = components['schemas'];
export type Account = Schemas['Account'];
export type AccountDetails = Schemas['AccountDetails'];
export type AlertReport = Schemas['AlertReport'];
export type AuditEntry = Schemas['AuditEntry'];
export type IssuedLink = Schemas['IssuedLink'];
export type LogInOptions = Schemas['LogInOptions'];
export type Passkey = Schemas['Passkey'];
export type PendingLogIn = Schemas['PendingLogIn'];
export type QueuesReport = Schemas['QueuesReport'];
export type Session = Schemas['Session'];
export type Role = Schemas['Role'];
export type SessionEntry = Schemas['SessionEntry'];
export type Token = Schemas['Token'];
export type TokenWithValue = Schemas['TokenWithValue'];
export type Payment = Schemas['Payment'];
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
