/** What a page shows of a failed call: the server's own message, and what helps to find it in the log. */
import { t } from '$lib/texts';

export class ApiFailure extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly reason: string | null = null,
    readonly parameter: string | null = null,
    readonly requestId: string | null = null,
  ) {
    super(message);
    this.name = 'ApiFailure';
  }
}

interface ErrorBody {
  message?: unknown;
  reason?: unknown;
  parameter?: unknown;
}

/** Some answers have no JSON body: those of a proxy, and some refusals. */
export function failureOf(status: number, body: unknown, requestId: string | null): ApiFailure {
  const given: ErrorBody = typeof body === 'object' && body !== null ? body : {};
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  const parameter = text(given.parameter);
  const message =
    sentence(text(given.message), parameter) ?? t(status >= 500 ? 'problem.server' : 'problem.refused', { status });
  return new ApiFailure(message, status, text(given.reason), parameter, requestId);
}

/** The server's message without the name of the parameter in front, which is for programs. */
function sentence(message: string | null, parameter: string | null): string | null {
  const prefix = `${parameter}: `;
  if (!message || !parameter || !message.startsWith(prefix)) return message;
  const rest = message.slice(prefix.length);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

export function toFailure(cause: unknown): ApiFailure {
  if (cause instanceof ApiFailure) return cause;
  if (cause instanceof TypeError) return new ApiFailure(t('problem.offline'), 0, 'offline');
  return new ApiFailure(cause instanceof Error ? cause.message : String(cause), 0);
}
