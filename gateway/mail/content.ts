import {
  type AccessTerms,
  coveringTerms,
  type GrantableScope,
  latestPurpose,
  maxNameLength,
  maxPurposeLength,
  type Notice,
  type RequestFeedEvent,
  undecidedScopes,
} from '#core';
import type { Letter, MailContent } from './letter.ts';
import type { MailLinks } from './links.ts';
import type { Block } from './render.ts';
import { toOneLine } from './safe-text.ts';
import type { MailWords } from './words/en.ts';

/** A subject contains two names, and mail programs show only the start of a subject. */
export const maxSubjectNameLength = 60;

export const writeNotice =
  ({ kind, event }: Pick<Notice, 'kind' | 'event'>) =>
  (letter: Letter): MailContent => {
    const write = {
      request_received: writeRequest,
      approval_needed: writeSecondApproval,
      review_due: writeQuestion('review', ['narrow', 'revoke']),
      grant_ending: writeQuestion('ending', ['extend', 'revoke']),
      grant_ended: writeEnd,
    };
    const { subject, blocks } = write[kind](event, namesOf(event), letter);
    const { company } = namesOf(event);
    const { words, date } = letter;
    const note = words.request.origin(company, event.accessRequest.id, date(event.createdAt));
    return { subject, blocks: [...blocks, { note }] };
  };

function namesOf({ investorName, companyName }: RequestFeedEvent) {
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
  { investor, company, short }: ReturnType<typeof namesOf>,
  letter: Letter,
): MailContent {
  const words = letter.words.request;
  const isAmendment = type === 'access_request.amended';
  const { id, status, approvedScopes, approvedTerms, deadlineAt } = accessRequest;
  const isAddition = status === 'approved';
  const intro = isAddition ? words.adds : isAmendment ? words.asksMore : words.asks;
  const stillReadable: Block[] = [
    { text: words.stillReadable },
    listAccess(approvedScopes, approvedTerms, letter),
  ];
  const choices = isAddition ? words.choicesOfAddition : words.choices;
  return {
    subject: words.subject(short.investor, short.company, isAmendment),
    blocks: [
      { text: intro(investor, company) },
      listAccess(undecidedScopes(accessRequest), coveringTerms(accessRequest), letter),
      ...purposeBlocks(latestPurpose(accessRequest), letter),
      ...(isAddition ? stillReadable : []),
      { text: choices(letter.date(deadlineAt)) },
      ...answerBlocks(id, ['approve', 'decline'], letter),
    ],
  };
}

function writeSecondApproval(
  { accessRequest }: RequestFeedEvent,
  { investor, company, short }: ReturnType<typeof namesOf>,
  letter: Letter,
): MailContent {
  const words = letter.words.secondApproval;
  const { id, approvals } = accessRequest;
  const { scopes = [], terms = null } = approvals[0] ?? {};
  return {
    subject: words.subject(short.investor, short.company),
    blocks: [
      { text: words.text(investor, company) },
      listAccess(scopes, terms, letter),
      { text: words.choices },
      ...answerBlocks(id, ['approve', 'decline'], letter),
    ],
  };
}

const writeQuestion =
  (question: 'ending' | 'review', actions: readonly string[]) =>
  (
    { accessRequest }: RequestFeedEvent,
    { investor, company, short }: ReturnType<typeof namesOf>,
    letter: Letter,
  ): MailContent => {
    const { id, approvedScopes, approvedTerms, purpose, deadlineAt } = accessRequest;
    const words = letter.words[question];
    return {
      subject: words.subject(short.investor, short.company),
      blocks: [
        { text: words.text(investor, company, letter.date(deadlineAt)) },
        listAccess(approvedScopes, approvedTerms, letter),
        ...purposeBlocks(purpose, letter),
        { text: words.choices },
        ...answerBlocks(id, actions, letter),
      ],
    };
  };

function writeEnd(
  {
    type,
    createdAt,
    accessRequest: { approvedScopes, approvedTerms, deadlineAt },
  }: RequestFeedEvent,
  { investor, company, short }: ReturnType<typeof namesOf>,
  letter: Letter,
): MailContent {
  const words = letter.words.ended;
  const text =
    type === 'access_request.withdrawn'
      ? words.byInvestor(investor, company, letter.date(createdAt))
      : words.byTime(investor, company, letter.date(deadlineAt));
  return {
    subject: words.subject(short.investor, short.company),
    blocks: [{ text }, listAccess(approvedScopes, approvedTerms, letter), { text: words.todo }],
  };
}

function listAccess(
  scopes: readonly GrantableScope[],
  terms: AccessTerms | null,
  { words, list, metric, day }: Letter,
): Block {
  const { metricKeys = null, historyFrom = null, use = 'ongoing' } = terms ?? {};
  return {
    list: [
      ...scopes.map((scope) => words.scopes[scope]),
      ...(metricKeys === null ? [] : [words.terms.metrics(list(metricKeys.map(metric)))]),
      ...(historyFrom === null ? [] : [words.terms.from(day(historyFrom))]),
      ...(use === 'once' ? [words.terms.once] : []),
    ],
  };
}

function purposeBlocks(purpose: string | null, { words }: Letter): Block[] {
  if (purpose === null) return [{ text: words.request.noPurpose }];
  return [{ text: words.request.purpose }, { quote: toOneLine(purpose, maxPurposeLength) }];
}

/**
 * Explains how to answer an access request at the desk. If the desk is off, explains how to answer with the company
 * API. The mail contains no link that decides, so a person who gets a forwarded mail can't decide.
 */
function answerBlocks(id: string, actions: readonly string[], letter: Letter): Block[] {
  const { docs, desk } = letter.links;
  const words = letter.words.request;
  const way: Block[] =
    desk === null
      ? [
          { text: words.byApi },
          { list: actions.map((action) => `POST /company/v1/access-requests/${id}/${action}`) },
          ...(docs === null ? [] : [{ link: docs }]),
        ]
      : [
          { button: words.open, to: `${desk}/requests/${id}` },
          { text: waysToSignIn(letter.links, letter.words.ways) },
        ];
  return [...way, { note: words.noAnswerByMail }];
}

export function waysToSignIn({ signIn }: MailLinks, words: MailWords['ways']): string {
  if (signIn?.providerName == null) return words.link;
  return words.provider(toOneLine(signIn.providerName, maxNameLength), signIn.hasLinks);
}
