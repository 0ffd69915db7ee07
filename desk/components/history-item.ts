import type { AccessEvent } from '#core';
import { type Html, html, nothing } from '../html.ts';
import type { Language } from '../messages/index.ts';
import type { DescribeActor } from './describe-actor.ts';
import { quote, scopeNames } from './request-facts.ts';
import { formatExactly } from './time.ts';

export function historyItem(
  event: AccessEvent,
  describeActor: DescribeActor,
  language: Language,
): Html {
  const { m } = language;
  const { type, createdAt, actor, reason, accessRequest } = event;
  return html`<li><strong>${m.events[type]}</strong> <bdi>${m.actors.by(describeActor(event))}</bdi>
<span class="hint">${formatExactly(createdAt, language)}${actor.type === 'contact' ? ` · ${m.ways[actor.signedInBy]}` : nothing}</span>
${type === 'access_request.approved' ? html`<p>${scopeNames(accessRequest.approvedScopes, language)}</p>` : nothing}
${reason === null ? nothing : quote(reason)}</li>`;
}
