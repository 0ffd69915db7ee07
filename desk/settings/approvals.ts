import type { ApprovalsRequired } from '#core';
import { buttonLink } from '../components/buttons.ts';
import { showIfAllowed } from '../components/role-note.ts';
import { isOfCompany, type OwnerContext } from '../context.ts';
import { hidden, html } from '../html.ts';
import { settingsRoutes } from './changes.ts';
import { settingsPage, settingsWords } from './settings-page.ts';

const path = '/desk/settings/approvals';

/** An investor has no such rule, so the routes below exist only for companies. */
const readRule = async (context: OwnerContext): Promise<ApprovalsRequired> =>
  isOfCompany(context) ? context.useCases.company.readApprovalsRequired(context.caller) : 1;

const nameOf = (required: ApprovalsRequired) => (required === 2 ? 'two' : 'one');

const chosenRule = ({ form }: OwnerContext): ApprovalsRequired =>
  form.text('required') === '2' ? 2 : 1;

export const approvalRoutes = settingsRoutes({
  path: '/settings/approvals',
  permission: 'set_approval_rule',
  async show(context, feedback) {
    const { approvals: words } = settingsWords(context);
    const rule = nameOf(await readRule(context));
    const { title, text, change } = words[rule];
    return settingsPage('approvals', context, {
      ...feedback,
      main: html`<section class="panel" aria-labelledby="rule"><h2 id="rule">${title}</h2>
<p>${text}</p>
${showIfAllowed(context, 'set_approval_rule', () => html`<p>${buttonLink(`${path}/change`, change)}</p>`)}</section>`,
    });
  },
  done: ({ approvals: { changed } }) => ({ changed }),
  refusals: () => ({}),
  changes: [
    {
      path: '/settings/approvals/change',
      async review(context, { approvals: words }) {
        const required = (await readRule(context)) === 2 ? 1 : 2;
        const { review, effect, confirm } = words[nameOf(required)];
        return {
          title: review,
          text: [effect],
          button: confirm,
          tone: 'primary',
          fields: hidden('required', String(required)),
        };
      },
      async make(context) {
        if (isOfCompany(context)) {
          const { caller, useCases } = context;
          await useCases.company.setApprovalsRequired(caller, { required: chosenRule(context) });
        }
        return { to: `${path}?done=changed` };
      },
    },
  ],
}).filter(({ access }) => access === 'company');
