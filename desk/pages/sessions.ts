import type { ListedSession } from '#core';
import { submitButton } from '../components/buttons.ts';
import { csrfField } from '../components/fields.ts';
import { actions, table } from '../components/table.ts';
import { formatExactly, formatRelative } from '../components/time.ts';
import type { SignedInContext } from '../context.ts';
import { hidden, html, nothing, success } from '../html.ts';
import { forSignedIn } from '../route.ts';

function row(listed: ListedSession, { language, now, session }: SignedInContext) {
  const { sessions: words } = language.m;
  const device = listed.device ?? words.unknown;
  return [
    html`<bdi>${device}</bdi>${listed.isCurrent ? html` <span class="badge good">${words.current}</span>` : nothing}`,
    formatExactly(listed.createdAt, language),
    formatRelative(listed.lastSeenAt, now, language),
    formatExactly(listed.expiresAt, language),
    html`<span class="sentence">${language.m.ways[listed.signedInBy]}</span>`,
    listed.isCurrent
      ? nothing
      : html`<form method="post" action="/desk/sessions/end">${csrfField(session)}${hidden('id', listed.id)}${submitButton(words.end, 'danger', words.endOf(device))}</form>`,
  ];
}

export const sessionRoutes = [
  forSignedIn.get('/sessions', async (context) => {
    const { useCases, signedIn, language, session, query } = context;
    const { sessions: words } = language.m;
    const listed = await useCases.contact.listSessions(signedIn);
    return {
      title: language.m.nav.sessions,
      main: html`${query.done === 'ended' ? success(words.ended) : nothing}
<p class="lead">${words.lead}</p>
${table({
  label: language.m.nav.sessions,
  columns: [
    words.device,
    language.m.since,
    language.m.lastUsed,
    language.m.until,
    words.way,
    actions(words.end),
  ],
  rows: listed.map((each) => row(each, context)),
  isBlocks: true,
})}
${
  listed.length > 1
    ? html`<form method="post" action="/desk/sessions/end-others">${csrfField(session)}${submitButton(words.endOthers, 'danger')}</form>`
    : html`<p class="hint">${words.alone}</p>`
}`,
    };
  }),
  forSignedIn.post('/sessions/end', async ({ useCases, signedIn, form }) => {
    await useCases.contact.endSession(signedIn, { id: form.text('id') ?? '' });
    return { to: '/desk/sessions?done=ended' };
  }),
  forSignedIn.post('/sessions/end-others', async ({ useCases, signedIn }) => {
    await useCases.contact.endOtherSessions(signedIn);
    return { to: '/desk/sessions?done=ended' };
  }),
];
