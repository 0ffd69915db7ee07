import type { ProviderSignIn } from '#core';
import { clientNetworkOf } from '#http';
import { buttonLink } from '../components/buttons.ts';
import type { DeskContext, Page, Redirect } from '../context.ts';
import { keepSecret, keptSecret, takeReturnPath } from '../cookies.ts';
import { html } from '../html.ts';
import { forAnyone, type Route } from '../route.ts';
import { isFromOtherSite } from '../security.ts';
import { continuePage } from './errors.ts';
import { describeDevice, requireWay } from './sign-in.ts';

const providerPath = '/desk/sign-in/oidc';

type Refused = Extract<ProviderSignIn, { readonly refused: unknown }>;

function refusalPage(
  { language: { m }, providerName, reply }: DeskContext,
  refused: Refused,
): Page {
  const words = m.provider;
  const email = 'email' in refused ? refused.email : '';
  const [status, title, text] = {
    declined: [403, words.declinedTitle, words.declined(providerName)] as const,
    outdated: [400, words.outdatedTitle, words.outdated] as const,
    invalid: [502, words.invalidTitle, words.invalid(providerName)] as const,
    unreachable: [503, words.unreachableTitle, words.unreachable(providerName)] as const,
    no_email: [403, words.noEmailTitle, words.noEmail(providerName)] as const,
    unverified: [403, words.unverifiedTitle, words.unverified(providerName, email)] as const,
    not_told: [
      403,
      words.emailUnverifiedTitle,
      words.emailUnverified(providerName, email),
    ] as const,
    no_contact: [403, words.noContactTitle, words.noContact(email)] as const,
  }[refused.refused];
  if (refused.refused === 'unreachable') reply.header('retry-after', '5');
  // Status 403 means that the provider's account isn't accepted. A plain retry would sign in the same account again, so
  // the page offers another account.
  const isOfAccount = status === 403;
  return {
    title,
    status,
    path: '/desk/',
    main: html`<div class="narrow"><p class="lead">${text}</p>
<p class="actions">${isOfAccount ? buttonLink(`${providerPath}?other`, words.other, 'primary') : buttonLink(providerPath, words.again, 'primary')}
${buttonLink('/desk/sign-in', words.back)}</p></div>`,
  };
}

async function begin(context: DeskContext): Promise<Page | Redirect> {
  requireWay('oidc', context);
  const { request, reply, publicUrl, query, useCases } = context;
  const site = request.headers['sec-fetch-site'];
  // Only pages of this service may start a sign-in, not links on other sites.
  if (site === 'cross-site' || site === 'same-site') return { to: '/desk/sign-in' };
  const visit = await useCases.contact.beginSignInAtProvider({
    kept: keptSecret(request, publicUrl),
    isOtherAccount: query.other !== undefined,
  });
  if (visit === null) return refusalPage(context, { refused: 'unreachable' });
  keepSecret(reply, publicUrl, visit.secret);
  return { to: visit.url };
}

async function finish(context: DeskContext): Promise<Page | Redirect> {
  requireWay('oidc', context);
  const { request, reply, publicUrl, session, useCases } = context;
  const signedIn = await useCases.contact.finishSignInAtProvider({
    kept: keptSecret(request, publicUrl),
    query: request.url.replace(/^[^?]*\??/s, ''),
    source: clientNetworkOf(request),
    previousSession: session,
    device: describeDevice(request.headers['user-agent']),
    language: context.language.tag,
  });
  if ('refused' in signedIn) return refusalPage(context, signedIn);
  context.setSession(signedIn.opened);
  const to = context.toPagePath(takeReturnPath(request, reply));
  if (!isFromOtherSite(request)) return { to };
  // Loads the next page without a redirect. After a redirect, the browser would report that the user came from another
  // site, the provider.
  reply.header('refresh', `0; url=${to}`);
  return continuePage(context, to);
}

/**
 * The sign-in starts with a link, not with a form. The page's security policy restricts the targets of forms, even
 * after redirects, and doesn't allow the provider's address.
 */
export const providerRoutes: Route[] = [
  forAnyone.get('/sign-in/oidc', begin),
  forAnyone.get('/sign-in/oidc/callback', finish),
];
