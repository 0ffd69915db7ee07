import { leastRole, type Permission } from '#core';
import type { OwnerContext } from '../context.ts';
import { type Html, html } from '../html.ts';
import type { Language } from '../messages/index.ts';

/** What stands where the caller's role does not let it do something: which role does. */
export function roleNote(
  caller: OwnerContext['caller'],
  permission: Permission,
  { m }: Language,
): Html {
  const { roles } = m.settings.contacts;
  const needed = roles[leastRole(caller, permission) ?? 'admin'];
  return html`<p class="notice">${m.roleNote(roles[caller.role], needed)}</p>`;
}
