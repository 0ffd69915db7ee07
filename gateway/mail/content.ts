import type { GrantableScope } from '#core';
import type { Block } from './render.ts';
import { toOneLine, toUnlinkedLine } from './safe-text.ts';

interface Parties {
  readonly companyName: string;
  readonly investorName: string;
  readonly accessRequestId: string;
}

/** What a mail to a contact of a company tells. */
export type MailFacts = Parties &
  (
    | {
        readonly kind: 'request_received';
        readonly scopes: readonly GrantableScope[];
        /** Whether less was asked for before, granted or not. */
        readonly asksForMore: boolean;
        /** What the investor may read already. */
        readonly grantedScopes: readonly GrantableScope[];
        readonly purpose: string | null;
        readonly answerUntil: Date;
      }
    | {
        readonly kind: 'grant_ending';
        readonly scopes: readonly GrantableScope[];
        readonly purpose: string | null;
        readonly endsAt: Date;
      }
    | {
        readonly kind: 'grant_ended';
        readonly scopes: readonly GrantableScope[];
        readonly endedAt: Date;
        readonly endedBy: 'clock' | 'investor';
      }
  );

export interface MailContent {
  readonly subject: string;
  readonly blocks: readonly Block[];
}

const maxNameLength = 200;
/** A subject names two organisations, and mail programs show its beginning. */
const maxSubjectNameLength = 60;
const maxPurposeLength = 1_000;

const scopeMeanings: Readonly<Record<GrantableScope, string>> = {
  'metrics:read': 'your metrics with their history, such as cash balance or headcount',
  'accounts:read': 'your bank, card and ledger accounts with their balances',
  'sources:read': 'the systems that your data comes from, and when they last delivered it',
};

/** @param publicUrl where the service is reached; null: no address is told */
export function writeMail(facts: MailFacts, publicUrl: string | null): MailContent {
  const company = toUnlinkedLine(facts.companyName, maxNameLength);
  const investor = toUnlinkedLine(facts.investorName, maxNameLength);
  const from = toOneLine(facts.investorName, maxSubjectNameLength);
  const to = toOneLine(facts.companyName, maxSubjectNameLength);
  const readable: Block = { list: facts.scopes.map(describeScope) };
  switch (facts.kind) {
    case 'request_received': {
      const { asksForMore, grantedScopes, answerUntil } = facts;
      const isAddition = grantedScopes.length > 0;
      const until = `Without an answer by ${toDate(answerUntil)}`;
      return {
        subject: `${from} asks for ${asksForMore ? 'more ' : ''}access to data of ${to}`,
        blocks: [
          {
            text: isAddition
              ? `${investor} asks ${company} to read in addition:`
              : `${investor} asks ${company} to read${asksForMore ? ', after asking for less before' : ''}:`,
          },
          readable,
          ...purposeBlocks(facts.purpose),
          ...(isAddition
            ? [
                { text: 'It may read already, and goes on reading while you decide:' },
                { list: grantedScopes.map(describeScope) },
              ]
            : []),
          { text: 'You can approve all that is asked for, approve a part, or decline.' },
          {
            text: isAddition
              ? `${until}, when the present access ends, nothing is added.`
              : `${until} the request expires, and nothing is shown.`,
          },
          ...answerBlocks(facts.accessRequestId, ['approve', 'decline'], publicUrl),
        ],
      };
    }
    case 'grant_ending':
      return {
        subject: `The access of ${from} to data of ${to} ends soon`,
        blocks: [
          {
            text: `On ${toDate(facts.endsAt)} the access of ${investor} ends. Until then it reads:`,
          },
          readable,
          ...purposeBlocks(facts.purpose),
          {
            text: 'If it may end, you need to do nothing. You can also extend it, or revoke it now.',
          },
          ...answerBlocks(facts.accessRequestId, ['extend', 'revoke'], publicUrl),
        ],
      };
    case 'grant_ended': {
      const cause =
        facts.endedBy === 'investor' ? `${investor} has given it up` : 'its time was over';
      return {
        subject: `The access of ${from} to data of ${to} has ended`,
        blocks: [
          {
            text: `On ${toDate(facts.endedAt)} the access of ${investor} to data of ${company} ended: ${cause}. It no longer reads:`,
          },
          readable,
          { text: 'You need to do nothing. To read again, it has to ask you again.' },
          { text: `Access request: ${facts.accessRequestId}` },
        ],
      };
    }
  }
}

function describeScope(scope: GrantableScope): string {
  return `${scopeMeanings[scope]} (${scope})`;
}

function purposeBlocks(purpose: string | null): Block[] {
  if (purpose === null) return [{ text: 'It has named no purpose.' }];
  return [
    { text: 'The purpose, in its own words:' },
    { quote: toUnlinkedLine(purpose, maxPurposeLength) },
  ];
}

/** Nothing in a mail decides by itself: whoever forwards it gives no decision away. */
function answerBlocks(id: string, actions: readonly string[], publicUrl: string | null): Block[] {
  const calls = actions.map((action) => `POST /company/v1/access-requests/${id}/${action}`);
  return [
    { text: 'To answer, use your dashboard or the company API with your company key:' },
    { list: calls },
    ...(publicUrl === null ? [] : [{ link: `${publicUrl}/docs/company` }]),
    {
      text: 'Or tell whoever runs this service. No answer is given by opening this mail or replying to it, and nobody asks you for a key by mail.',
    },
  ];
}

const dateFormat = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
});

function toDate(instant: Date): string {
  return `${dateFormat.format(instant)} UTC`;
}
