import {
  type GrantableScope,
  latestPurpose,
  maxNameLength,
  maxPurposeLength,
  type Notice,
  type RequestFeedEvent,
  undecidedScopes,
} from '#core';
import { byLink, type MailLinks } from './links.ts';
import type { Block } from './render.ts';
import { toOneLine } from './safe-text.ts';

export interface MailContent {
  readonly subject: string;
  readonly blocks: readonly Block[];
}

/** A subject names two organisations, and mail programs show its beginning. */
export const maxSubjectNameLength = 60;

const scopeMeanings: Readonly<Record<GrantableScope, string>> = {
  'metrics:read': 'your metrics with their history, such as cash balance or headcount',
  'accounts:read': 'your bank, card and ledger accounts with their balances',
  'sources:read': 'the systems that your data comes from, and when they last delivered it',
};

export function writeNotice(
  { kind, event }: Pick<Notice, 'kind' | 'event'>,
  links: MailLinks,
): MailContent {
  const write = {
    request_received: writeRequest,
    grant_ending: writeEnding,
    grant_ended: writeEnd,
  };
  const { subject, blocks } = write[kind](event, namesOf(event), links);
  const { company } = namesOf(event);
  const origin = `You get this mail as a contact of ${company}. Access request ${event.accessRequest.id}, ${toDate(event.createdAt)}`;
  return { subject, blocks: [...blocks, { note: origin }] };
}

interface Names {
  readonly investor: string;
  readonly company: string;
  /** For a subject: mail programs show its beginning, and make no links in it. */
  readonly short: { readonly investor: string; readonly company: string };
}

function namesOf({ investorName, companyName }: RequestFeedEvent): Names {
  return {
    investor: toOneLine(investorName, maxNameLength),
    company: toOneLine(companyName, maxNameLength),
    short: {
      investor: toOneLine(investorName, maxSubjectNameLength),
      company: toOneLine(companyName, maxSubjectNameLength),
    },
  };
}

function writeRequest(
  { type, accessRequest }: RequestFeedEvent,
  { investor, company, short }: Names,
  links: MailLinks,
): MailContent {
  const asksForMore = type === 'access_request.amended';
  const { id, status, approvedScopes, deadlineAt } = accessRequest;
  const isAddition = status === 'approved';
  const asks = isAddition
    ? `${investor} asks ${company} to read in addition:`
    : `${investor} asks ${company} to read${asksForMore ? ', after asking for less before' : ''}:`;
  const goesOn: Block[] = [
    { text: 'It may read already, and goes on reading while you decide:' },
    listScopes(approvedScopes),
  ];
  const unanswered = isAddition
    ? ', when the present access ends, nothing is added.'
    : ' the request expires, and nothing is shown.';
  return {
    subject: `${short.investor} asks for ${asksForMore ? 'more ' : ''}access to data of ${short.company}`,
    blocks: [
      { text: asks },
      listScopes(undecidedScopes(accessRequest)),
      ...purposeBlocks(latestPurpose(accessRequest)),
      ...(isAddition ? goesOn : []),
      {
        text: `${choices} Without an answer by ${toDate(deadlineAt)}${unanswered}`,
      },
      ...answerBlocks(id, ['approve', 'decline'], links),
    ],
  };
}

const choices = 'You can approve all that is asked for, approve a part, or decline.';

function writeEnding(
  { accessRequest: { id, approvedScopes, purpose, deadlineAt } }: RequestFeedEvent,
  { investor, company, short }: Names,
  links: MailLinks,
): MailContent {
  return {
    subject: `The access of ${short.investor} to data of ${short.company} ends soon`,
    blocks: [
      {
        text: `On ${toDate(deadlineAt)} the access of ${investor} to data of ${company} ends. Until then it reads:`,
      },
      listScopes(approvedScopes),
      ...purposeBlocks(purpose),
      { text: 'If it may end, you need to do nothing. You can also extend it, or revoke it now.' },
      ...answerBlocks(id, ['extend', 'revoke'], links),
    ],
  };
}

function writeEnd(
  { type, createdAt, accessRequest: { approvedScopes, deadlineAt } }: RequestFeedEvent,
  { investor, company, short }: Names,
): MailContent {
  const [endedAt, cause] =
    type === 'access_request.withdrawn'
      ? [createdAt, `${investor} has given it up`]
      : [deadlineAt, 'its time was over'];
  return {
    subject: `The access of ${short.investor} to data of ${short.company} has ended`,
    blocks: [
      {
        text: `On ${toDate(endedAt)} the access of ${investor} to data of ${company} ended: ${cause}. It no longer reads:`,
      },
      listScopes(approvedScopes),
      { text: 'You need to do nothing. To read again, it has to ask you again.' },
    ],
  };
}

function listScopes(scopes: readonly GrantableScope[]): Block {
  return { list: scopes.map((scope) => scopeMeanings[scope]) };
}

function purposeBlocks(purpose: string | null): Block[] {
  if (purpose === null) return [{ text: 'It names no purpose.' }];
  return [
    { text: 'The purpose, as the investor wrote it:' },
    { quote: toOneLine(purpose, maxPurposeLength) },
  ];
}

/**
 * How to answer. A mail goes to a person, who is led to the desk; the company API is named only where there is no desk.
 * Nothing in a mail decides by itself: whoever forwards it gives no decision away.
 */
function answerBlocks(
  id: string,
  actions: readonly string[],
  { docs, desk, signIn }: MailLinks,
): Block[] {
  const way: Block[] =
    desk === null
      ? [
          { text: 'To answer, use your dashboard or the company API with your company key:' },
          {
            list: actions.map((action) => `POST /company/v1/access-requests/${id}/${action}`),
          },
          ...(docs === null ? [] : [{ link: docs }]),
        ]
      : [
          { button: 'Open the request', to: `${desk}/requests/${id}` },
          { text: waysToSignIn(signIn) },
        ];
  return [
    ...way,
    {
      note: 'No answer is given by opening this mail or replying to it, and nobody asks you for a key or a password by mail.',
    },
  ];
}

function waysToSignIn({ hasLinks, providerName }: NonNullable<MailLinks['signIn']> = byLink) {
  const byMail = 'by a link that is mailed to you';
  if (providerName === null) return `You sign in with this address, ${byMail}.`;
  const provider = toOneLine(providerName, maxNameLength);
  return `You sign in with ${provider}, by the account that has this address${hasLinks ? `, or ${byMail}` : ''}.`;
}

const dateStyle = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
const dateFormats = {
  en: new Intl.DateTimeFormat('en-GB', dateStyle),
  de: new Intl.DateTimeFormat('de', dateStyle),
};

export const toDate = (instant: Date, language: keyof typeof dateFormats = 'en'): string =>
  `${dateFormats[language].format(instant)} UTC`;
