import { describe, expect, test } from 'vitest';
import {
  type AccessRequest,
  createAccessEvent,
  type Notice,
  type NoticeKind,
  operator,
  type RequestFeedEvent,
  type SettingsChange,
  type WrittenNews,
} from '#core';
import type { MailLinks } from '../../../gateway/mail/links.ts';
import { createMessage } from '../../../gateway/mail/message.ts';
import { toOneLine } from '../../../gateway/mail/safe-text.ts';
import { approvedRequest } from '../../core/builders.ts';

function anEvent(
  overrides: Partial<RequestFeedEvent> = {},
  request: Partial<AccessRequest> = {},
): RequestFeedEvent {
  const accessRequest = approvedRequest({
    id: 'ar_1',
    purpose: 'Quarterly review',
    requestedScopes: ['metrics:read', 'sources:read'],
    approvedScopes: ['metrics:read'],
    deadlineAt: new Date('2027-01-31T18:05:00Z'),
    ...request,
  });
  return {
    ...createAccessEvent('evt_1', accessRequest, operator, new Date('2026-11-22T10:00:00Z')),
    position: '7',
    investorName: 'North Capital',
    companyName: 'Harbor Robotics',
    receipt: null,
    ...overrides,
  };
}

const pending: Partial<AccessRequest> = { status: 'pending', approvedScopes: [] };

function render(
  kind: NoticeKind,
  event: RequestFeedEvent,
  links: MailLinks = { docs: 'https://access.example/docs/company', desk: null },
  language: string | null = 'en',
) {
  const mail: Notice = {
    id: 'ml_1',
    contactId: 'ct_1',
    to: 'board@harbor.example',
    language,
    timeZone: null,
    kind,
    event,
    state: 'waiting',
    attempts: 1,
    nextAttemptAt: event.createdAt,
    lastFailure: null,
    createdAt: event.createdAt,
    sentAt: null,
  };
  return createMessage(mail, links);
}

const added: SettingsChange = {
  id: 'chg_1',
  type: 'contact.added',
  createdAt: new Date('2026-11-22T10:00:00Z'),
  companyId: 'co_harbor',
  investorId: null,
  actor: { type: 'contact', id: 'ct_2', name: 'cfo@harbor.example' },
  subject: { type: 'contact', id: 'ct_1', name: 'board@harbor.example' },
  changes: { role: { from: null, to: 'approver' } },
};

describe('an invitation', () => {
  const invitation = (links: MailLinks, name = 'Harbor Robotics') =>
    createMessage(
      {
        id: 'ml_1',
        contactId: 'ct_1',
        to: 'board@harbor.example',
        kind: 'contact_invited',
        event: null,
        owner: { companyId: 'co_harbor' },
        name,
        change: added,
        language: null,
        timeZone: null,
        state: 'waiting',
        attempts: 1,
        nextAttemptAt: new Date('2026-11-22T10:00:00Z'),
        lastFailure: null,
        createdAt: new Date('2026-11-22T10:00:00Z'),
        sentAt: null,
      },
      links,
    );

  test('explains in two languages what the contact can do and where to sign in', () => {
    const desk = 'https://access.example/desk';
    const { subject, text, html, messageIdPart } = invitation({ docs: null, desk });
    expect(subject).toBe('You are now a contact of Harbor Robotics');
    expect(text.split(`:\n${desk}\n\n`)).toEqual([
      expect.stringMatching(
        /^cfo@harbor.example added you .* of Harbor Robotics, with the role approver\. .* enter this address.*Open the desk$/s,
      ),
      expect.stringMatching(
        /^If you have nothing .*cfo@harbor.example hat Sie .* von Harbor Robotics eingetragen, mit der Rolle Entscheider\. .*Passwort\.\n\nSeiten öffnen$/s,
      ),
      expect.stringMatching(/^Wenn Sie mit Harbor Robotics nichts zu tun haben/),
    ]);
    expect(html).toMatch(/<p lang="de"[^>]*>cfo@harbor.example hat Sie bei Portfolio Access/);
    expect(html).toMatch(/<p style[^>]*>cfo@harbor.example added you/);
    expect(messageIdPart).toBe('ml_1.ct_1');
  });

  test.each([
    [
      true,
      /sign in with Harbor ID, .*, or enter this address.*melden Sie sich mit Harbor ID an.*Link/s,
    ],
    [false, /sign in with Harbor ID, .*this address\..*melden Sie sich mit Harbor ID an.*hat\./s],
  ])('lists the ways to sign in (sign-in links: %j)', (hasLinks, words) => {
    const signIn = { hasLinks, providerName: 'Harbor ID' };
    const { text } = invitation({ docs: null, desk: 'https://access.example/desk', signIn });
    expect(text).toMatch(words);
    expect(text.includes('link')).toBe(hasLinks);
  });

  test('has no link if the address of the desk is unknown', () => {
    const { text, html } = invitation({ docs: 'https://access.example/docs/company', desk: null });
    expect(text).toContain("You don't need to do anything now");
    expect(text).toContain('Sie müssen jetzt nichts tun');
    expect(html).not.toContain('href');
  });

  test('shows a company name as plain text, even if the name looks like an address or HTML', () => {
    const { html, subject } = invitation({ docs: null, desk: null }, 'evil.example <b>\r\nBcc: x');
    expect(subject).toBe('You are now a contact of evil.example <b> Bcc: x');
    const [, body] = html.split('<body');
    expect(body).toContain('evil.example &lt;b&gt; Bcc: x');
    expect(body).not.toContain('<b>');
  });
});

const amended = { type: 'access_request.amended' } as const;

describe('a mail about a new request', () => {
  test('contains the investor’s name, the requested data, the purpose, the deadline and how to answer', () => {
    const { subject, text, html } = render('request_received', anEvent({}, pending));
    expect(subject).toBe('North Capital asks for access to data of Harbor Robotics');
    expect(text).toMatchInlineSnapshot(`
      "North Capital asks Harbor Robotics for permission to read:

      - your metrics with their history, such as cash balance or headcount
      - the systems that your data comes from, and when they last delivered it

      The purpose, as the investor wrote it:

      > Quarterly review

      You can approve everything, approve a part, or decline. Without an answer by 31 January 2027 at 18:05 UTC, the request expires and nothing is shown.

      To answer, use your dashboard or the company API with your company key:

      - POST /company/v1/access-requests/ar_1/approve
      - POST /company/v1/access-requests/ar_1/decline

      https://access.example/docs/company

      Opening this mail or replying to it doesn't answer the request. We never ask for a key or a password by mail.

      You get this mail as a contact of Harbor Robotics. Access request ar_1, 22 November 2026 at 10:00 UTC
      "
    `);
    for (const line of ['Quarterly review', '31 January 2027', 'cash balance', 'ar_1/approve']) {
      expect(html).toContain(line);
    }
  });

  test('has a message ID with the event and the contact, so duplicates can be recognised', () => {
    expect(render('request_received', anEvent({}, pending))).toMatchObject({
      to: 'board@harbor.example',
      messageIdPart: 'evt_1.ct_1',
    });
  });

  test('mentions that the investor first asked for less, if the request was extended before an answer', () => {
    const { subject, text } = render('request_received', anEvent(amended, pending));
    expect(subject).toBe('North Capital asks for more access to data of Harbor Robotics');
    expect(text).toContain(
      'has extended its request to Harbor Robotics and now asks to read:\n\n- your metrics',
    );
  });

  test('lists the data that stays readable if the investor requests additional data', () => {
    const addition = { pendingScopes: ['accounts:read'], pendingPurpose: 'The audit' } as const;
    const { subject, text } = render('request_received', anEvent(amended, addition));
    expect(subject).toBe('North Capital asks for more access to data of Harbor Robotics');
    expect(text).toContain('asks Harbor Robotics for permission to also read:\n\n- your bank');
    expect(text).toContain('> The audit\n');
    expect(text).toContain('can already read this, also while you decide:\n\n- your metrics');
    expect(text).toContain('when the present access ends, nothing is added.');
    expect(text).not.toContain('Quarterly review');
  });

  test('mentions that the investor gave no purpose', () => {
    const { text } = render('request_received', anEvent({}, { ...pending, purpose: null }));
    expect(text).toContain('The investor gave no purpose.');
  });

  test('links to the page of the request if the service has a desk', () => {
    const links = { docs: null, desk: 'https://access.example/desk' };
    const { text, html } = render('request_received', anEvent({}, pending), links);
    expect(text).toContain(
      'Open the request:\nhttps://access.example/desk/requests/ar_1\n\nYou sign in with this address',
    );
    expect(html).toMatch(
      /<a href="https:\/\/access\.example\/desk\/requests\/ar_1" style="[^"]*">Open the request<\/a>/,
    );
    expect(render('grant_ending', anEvent(), links).text).toContain('/desk/requests/ar_1\n');
  });

  test('loads nothing from the internet, and contains the name of the service', () => {
    const links = { docs: null, desk: 'https://access.example/desk' };
    const { html } = render('request_received', anEvent({}, pending), links);
    expect(html).toContain('Portfolio Access</p>');
    expect(html).not.toMatch(/src=|url\(|<link|<style|<img/);
  });
});

test('a mail about an expiring grant gives the date and the options', () => {
  const { subject, text } = render('grant_ending', anEvent());
  expect(subject).toBe('The access of North Capital to data of Harbor Robotics ends soon');
  expect(text).toContain('data of Harbor Robotics ends on 31 January 2027 at 18:05 UTC');
  expect(text).toContain('ar_1/extend');
});

test.each([
  ['expired', 'on 31 January 2027 at 18:05 UTC', 'because its time was over'],
  ['withdrawn', 'on 22 November 2026 at 10:00 UTC', 'North Capital gave up its access'],
] as const)('a mail about a grant that is %s gives the date and the reason', (type, when, why) => {
  const event = anEvent({ type: `access_request.${type}` }, { status: 'expired' });
  const { subject, text } = render('grant_ended', event);
  expect(subject).toBe('The access of North Capital to data of Harbor Robotics has ended');
  expect(text).toContain(when);
  expect(text).toContain(why);
});

describe('text that an investor wrote', () => {
  const hostile = anEvent(
    {
      investorName: '<script>alert("1")</script>\r\nBcc: all@evil.example\u202E',
    },
    {
      ...pending,
      purpose:
        '"><img src=x>\n\nTo answer, open https://evil.example/approve or evil.example\u0000',
    },
  );

  test('stays within one header line', () => {
    const { subject } = render('request_received', hostile);
    expect(subject).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(subject).toContain('</script> Bcc: all@evil.example asks for');
  });

  test('adds no HTML element and no link', () => {
    const { html } = render('request_received', hostile);
    expect(html.match(/<\/?(script|img|a)\b[^>]*>/g)).toEqual([
      '<a href="https://access.example/docs/company">',
      '</a>',
    ]);
  });

  test('is marked as quoted and can’t forge a line', () => {
    const { text } = render('request_received', hostile);
    const lines = text.split('\n').filter((line) => line.includes('To answer, open'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^> ">/);
  });

  test.each([
    ['a\r\nb\tc  d', 'a b c d'],
    ['a\u202Eb\u2066c\u200Bd\uFEFFe', 'a b c d e'],
    ['a\u2028b\u2029c\u0085d', 'a b c d'],
    ['\uD800', '\uFFFD'],
    ['\u{1F469}\u200D\u{1F680}', '\u{1F469}\u200D\u{1F680}'],
    ['12345678901', '123456789…'],
    ['\u{1F680}'.repeat(11), `${'\u{1F680}'.repeat(9)}…`],
    ['U\u{E0041}\u{E0042}', 'U'],
    ['a\u200C@b.eu', 'a @b.eu'],
    ['\u200Dx', 'x'],
    ['می\u200Cخواهم', 'می\u200Cخواهم'],
  ])('%j is shown as %j', (written, shown) => {
    expect(toOneLine(written, 10)).toBe(shown);
  });
});

describe('a mail in German', () => {
  test('contains only German text, with German dates', () => {
    const { subject, text, html } = render(
      'request_received',
      anEvent({}, pending),
      undefined,
      'de',
    );
    expect(subject).toBe('North Capital bittet um Zugriff auf Daten von Harbor Robotics');
    expect(text).toContain('Ihre Kennzahlen mit ihrem Verlauf');
    expect(text).toContain('31. Januar 2027 um 18:05 UTC');
    expect(html).toContain('<html lang="de">');
    const english = /\b(the|you|your|and|of|or|asks|access)\b/;
    expect(text.replaceAll(/access\S*example\S*|\/company\S*|Quarterly review/g, '')).not.toMatch(
      english,
    );
  });

  test('starts with the English text if the recipient’s language is unknown', () => {
    const { text } = render('grant_ending', anEvent(), undefined, null);
    expect(text).toMatch(/on 31 January 2027.*Am 31\. Januar 2027/s);
  });
});

describe('a mail with an investor’s news', () => {
  const company = (overrides: Partial<WrittenNews['news'][number]> = {}) => ({
    companyId: 'co_1',
    companyName: 'Harbor Robotics',
    access: null,
    corrections: 0,
    correctedKeys: new Set<string>(),
    lateSources: new Set<string>(),
    ...overrides,
  });
  const write = (
    news: WrittenNews['news'],
    { kind = 'news', ...more }: Partial<Pick<WrittenNews, 'kind' | 'language' | 'timeZone'>> = {},
    desk: string | null = 'https://access.example/desk',
  ) =>
    createMessage(
      {
        ...{ id: 'ml_1', contactId: 'ct_1', to: 'ana@north.example', kind, event: null, news },
        ...{ owner: { investorId: 'inv_1' }, name: 'North Capital', aboutCompanyId: null },
        ...{ afterPosition: '0', untilPosition: '9', state: 'waiting', attempts: 1 },
        ...{ nextAttemptAt: null, lastFailure: null, sentAt: null },
        createdAt: new Date('2026-11-22T10:00:00Z'),
        language: 'en',
        timeZone: 'Europe/Berlin',
        ...more,
      },
      { docs: null, desk },
    );
  const access = (type: string, request: Partial<AccessRequest> = {}) =>
    ({
      kind: 'approved',
      event: anEvent({ type: `access_request.${type}` as never }, request),
    }) as const;

  test('shows when the access ends after an approval, in the recipient’s time zone', () => {
    const { subject, text } = write([company({ access: access('approved') })]);
    expect(subject).toBe('Harbor Robotics approved your request');
    expect(text).toContain(
      '- Harbor Robotics approved your request. The access ends on 31 January 2027 at 19:05 CET',
    );
    expect(text).toContain('Open the company:\nhttps://access.example/desk/portfolio/co_1');
  });

  test.each([
    ['extended', 'Harbor Robotics extended your access'],
    ['declined', 'Harbor Robotics declined your request'],
    ['revoked', 'Harbor Robotics ended your access'],
    ['expiring', 'Your access to Harbor Robotics ends soon'],
    ['expired', 'Your access to Harbor Robotics has ended'],
  ])('has a subject with the result if a request is %s', (type, subject) => {
    expect(write([company({ access: access(type) })]).subject).toBe(subject);
  });

  test('doesn’t mention access if a request expired because the company never answered', () => {
    const lapsed = access('expired', { approvedScopes: [] });
    expect(write([company({ access: lapsed })]).subject).toMatch(/didn't answer/);
  });

  test('has the right plurals in German, and contains no values of metrics', () => {
    const corrected = company({
      corrections: 10_000,
      correctedKeys: new Set(['arr', 'headcount']),
    });
    const late = company({ companyName: 'Tide', lateSources: new Set(['Qonto Main']) });
    const { subject, text } = write([corrected, late], { kind: 'digest', language: 'de' });
    expect(subject).toBe('Ihr Portfolio: Neues von 2 Unternehmen');
    expect(text).toContain('Harbor Robotics hat 10.000 Werte korrigiert: ARR und Mitarbeiterzahl');
    expect(text).toContain('Daten von Tide sind verspätet: Qonto Main');
  });

  test('has no links if the service has no desk', () => {
    const news = [company({ access: access('revoked') })];
    const desk = write(news);
    expect(desk.text).toContain('Under Settings, Emails, you can choose which emails you get.');
    const { text } = write(news, {}, null);
    expect(text).not.toMatch(/http|Settings/);
  });

  test('stays short even with very many companies and metrics', () => {
    const keys = new Set(Array.from({ length: 500 }, (_, index) => `metric_${index}`));
    const many = Array.from({ length: 2_000 }, (_, index) =>
      company({ companyName: `Company ${index}`, corrections: 7, correctedKeys: keys }),
    );
    const { text, html } = write(many, { kind: 'digest' });
    expect(text).toContain('And 1,900 more companies');
    expect(text).toContain('and 495 more');
    expect(html.length).toBeLessThan(40_000);
  });
});
