/** The roles that an administrator gives. */
import type { Role } from '$lib/console-types';
import { tOr } from '$lib/texts';

export const ROLES: readonly Role[] = ['ADMINISTRATOR', 'DEVELOPER', 'OPERATOR'];
export const ROLE_OPTIONS = ROLES.map((value) => ({ value, label: tOr(`role.${value}`, value) }));
