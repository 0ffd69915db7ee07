import type { ListedSession } from '#core';
import { submitButton } from '../components/buttons.ts';
import { csrfField } from '../components/fields.ts';
import { formatExactly, formatRelative } from '../components/time.ts';
import type { SignedInContext } from '../context.ts';
import { type Html, hidden, html, nothing, success } from '../html.ts';
import { forSignedIn } from '../route.ts';

function line(listed: ListedSession, { language, now, session }: SignedInContext): Html {
  const { sessions: words } = language.m;
  const device = listed.device ?? words.unknown;
  return html`<li><span><strong><bdi>${device}</bdi></strong>${listed.isCurrent ? html` <span class="badge good">${words.current}</span>` : nothing}<br>
<span class="hint">${words.since} ${formatExactly(listed.createdAt, language)} · ${words.lastUsed} ${formatRelative(listed.lastSeenAt, now, language)} · ${words.until} ${formatExactly(listed.expiresAt, language)} · ${language.m.ways[listed.signedInBy]}</span></span>
${
  listed.isCurrent
    ? nothing
    : html`<form method="post" action="/desk/sessions/end">${csrfField(session)}${hidden('id', listed.id)}${submitButton(words.end, 'danger', words.endOf(device))}</form>`
}</li>`;
}

/** Where the person is signed in; whoever has chosen no company yet can look and end too. */
export const sessionRoutes = [
  forSignedIn.get('/sessions', async (context) => {
    const { useCases, signedIn, language, session, query } = context;
    const { sessions: words } = language.m;
    const listed = await useCases.contact.listSessions(signedIn);
    return {
      title: words.title,
      main: html`${query.done === 'ended' ? success(words.ended) : nothing}
<div class="narrow"><p class="lead">${words.lead}</p>
<div class="panel"><ul class="lines">${listed.map((each) => line(each, context))}</ul></div>
${
  listed.length > 1
    ? html`<form method="post" action="/desk/sessions/end-others">${csrfField(session)}${submitButton(words.endOthers, 'danger')}</form>`
    : html`<p class="hint">${words.alone}</p>`
}</div>`,
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
