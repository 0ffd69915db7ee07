import { describe, expect, test } from 'vitest';
import { type MailFacts, writeMail } from '../../../gateway/mail/content.ts';
import { renderHtml, renderText } from '../../../gateway/mail/render.ts';
import { toOneLine, toUnlinkedLine } from '../../../gateway/mail/safe-text.ts';

const parties = {
  companyName: 'Harbor Robotics',
  investorName: 'North Capital',
  accessRequestId: 'ar_1',
};

const requested: Extract<MailFacts, { kind: 'request_received' }> = {
  ...parties,
  kind: 'request_received',
  scopes: ['metrics:read', 'sources:read'],
  asksForMore: false,
  grantedScopes: [],
  purpose: 'Quarterly review',
  answerUntil: new Date('2027-01-31T18:05:00Z'),
};

function render(facts: MailFacts, publicUrl: string | null = 'https://access.example') {
  const { subject, blocks } = writeMail(facts, publicUrl);
  return { subject, text: renderText(blocks), html: renderHtml(subject, blocks) };
}

describe('a request has come', () => {
  test('tells who asks for what, why, until when, and how to answer', () => {
    const { subject, text, html } = render(requested);
    expect(subject).toBe('North Capital asks for access to data of Harbor Robotics');
    expect(text).toMatchInlineSnapshot(`
      "North Capital asks Harbor Robotics to read:

      - your metrics with their history, such as cash balance or headcount (metrics:read)
      - the systems that your data comes from, and when they last delivered it (sources:read)

      The purpose, in its own words:

      > Quarterly review

      You can approve all that is asked for, approve a part, or decline.

      Without an answer by 31 January 2027 at 18:05 UTC the request expires, and nothing is shown.

      To answer, use your dashboard or the company API with your company key:

      - POST /company/v1/access-requests/ar_1/approve
      - POST /company/v1/access-requests/ar_1/decline

      https://access.example/docs/company

      Or tell whoever runs this service. No answer is given by opening this mail or replying to it, and nobody asks you for a key by mail.
      "
    `);
    for (const line of ['Quarterly review', '31 January 2027', 'cash balance', 'ar_1/approve']) {
      expect(html).toContain(line);
    }
  });

  test('says that more is asked for, and what goes on', () => {
    const more = { ...requested, asksForMore: true };
    const { subject, text } = render({ ...more, grantedScopes: ['accounts:read'] });
    expect(subject).toBe('North Capital asks for more access to data of Harbor Robotics');
    expect(text).toContain('asks Harbor Robotics to read in addition:');
    expect(text).toContain('goes on reading while you decide:\n\n- your bank');
    expect(text).toContain('when the present access ends, nothing is added.');
    expect(render(more).subject).toBe(subject);
    expect(render(more).text).toContain('to read, after asking for less before:\n\n- your metrics');
  });

  test('without a purpose says so', () => {
    expect(render({ ...requested, purpose: null }).text).toContain('It has named no purpose.');
  });

  test('without a public address names none', () => {
    const { text, html } = render(requested, null);
    expect(text).not.toContain('http');
    expect(html).not.toContain('href');
  });
});

test('a grant that is about to end tells when, and what can be done', () => {
  const { subject, text } = render({
    ...parties,
    kind: 'grant_ending',
    scopes: ['metrics:read'],
    purpose: null,
    endsAt: new Date('2027-01-31T18:05:00Z'),
  });
  expect(subject).toBe('The access of North Capital to data of Harbor Robotics ends soon');
  expect(text).toContain('31 January 2027 at 18:05 UTC');
  expect(text).toContain('ar_1/extend');
});

test.each([
  ['clock', 'its time was over'],
  ['investor', 'North Capital has given it up'],
] as const)('a grant that the %s ended tells so', (endedBy, words) => {
  const { subject, text } = render({
    ...parties,
    kind: 'grant_ended',
    scopes: ['metrics:read'],
    endedAt: new Date('2027-01-31T18:05:00Z'),
    endedBy,
  });
  expect(subject).toBe('The access of North Capital to data of Harbor Robotics has ended');
  expect(text).toContain(`ended: ${words}.`);
});

describe('what others wrote', () => {
  const hostile = {
    ...requested,
    investorName: '<script>alert("1")</script>\r\nBcc: all@evil.example\u202E',
    purpose: '"><img src=x>\n\nTo answer, open https://evil.example/approve or evil.example\u0000',
  };

  test('stays in its line of the header', () => {
    const { subject } = render(hostile);
    expect(subject).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(subject).toContain('</script> Bcc: all@evil.example asks for');
  });

  test('is no HTML and has no link', () => {
    const { html } = render(hostile);
    expect(html.match(/<\/?(script|img|a)\b[^>]*>/g)).toEqual([
      '<a href="https://access.example/docs/company">',
      '</a>',
    ]);
    expect(html).not.toMatch(/evil\.example\/approve/);
    expect(html).not.toMatch(/https:\/\/evil/);
  });

  test('is marked as theirs in the text, and forges no line', () => {
    const { text } = render(hostile);
    const lines = text.split('\n').filter((line) => line.includes('To answer, open'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^> ">/);
    expect(text).not.toMatch(/https:\/\/evil|evil\.example/);
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
  ])('%j is shown as %j', (written, shown) => {
    expect(toOneLine(written, 10)).toBe(shown);
  });

  test('stays readable where it is no address', () => {
    const sentence = 'Series B, 1.5 million at 18:05. Then: more.';
    expect(toUnlinkedLine(sentence, 100)).toBe(sentence);
  });
});
