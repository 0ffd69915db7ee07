import { hasPermission } from '#core';
import { ownerFields, radio } from '../components/fields.ts';
import { showIfAllowed } from '../components/role-note.ts';
import type { ContactContext, Page } from '../context.ts';
import { html, nothing, success } from '../html.ts';
import { forContacts } from '../route.ts';
import { settingsPage } from './settings-page.ts';

const path = '/desk/settings/approvals';

/** Only admins can change the number. */
async function approvalsPage(context: ContactContext): Promise<Page> {
  const { caller, useCases, query, language } = context;
  const { approvals: words } = language.m.settings;
  const required = await useCases.company.readApprovalsRequired(caller);
  const choice = (each: 1 | 2) => radio('required', `${each}`, `${required}`, words.rules[each]);
  return settingsPage('approvals', context, {
    ...(query.done === 'saved' && { notice: success(words.saved) }),
    main: html`<form method="post" action="${path}" class="stack">${ownerFields(context)}
<fieldset${hasPermission(caller, 'set_approval_rule') ? nothing : html` disabled`}><legend>${words.title}</legend>
${choice(1)}
${choice(2)}
<p class="hint">${words.hint}</p></fieldset>
${showIfAllowed(context, 'set_approval_rule', () => html`<button class="primary">${language.m.save}</button>`)}</form>`,
  });
}

export const approvalRoutes = [
  forContacts.get('/settings/approvals', approvalsPage),
  forContacts.post('/settings/approvals', async ({ useCases, caller, form }) => {
    // The use case rejects unknown values.
    await useCases.company.setApprovalsRequired(caller, {
      required: Number(form.text('required')),
    });
    return { to: `${path}?done=saved` };
  }),
];
