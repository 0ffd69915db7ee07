import { hasPermission, leastRole, type Permission } from '#core';
import type { OwnerContext } from '../context.ts';
import { type Html, html } from '../html.ts';

/** Without the permission, names the role that has it. */
export function showIfAllowed(
  { caller, language: { m } }: OwnerContext,
  permission: Permission,
  show: () => Html,
): Html {
  if (hasPermission(caller, permission)) return show();
  const { roles } = m.settings.contacts;
  const needed = roles[leastRole(caller, permission) ?? 'admin'];
  return html`<p class="notice">${m.roleNote(roles[caller.role], needed)}</p>`;
}
