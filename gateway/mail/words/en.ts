import type { GrantableScope, Role, SettingsChangeType } from '#core';

type Changed = Readonly<Partial<Record<SettingsChangeType, string>>>;

const roles: Readonly<Record<Role, string>> = {
  viewer: 'viewer',
  approver: 'approver',
  member: 'member',
  admin: 'admin',
};

const scopes: Readonly<Record<GrantableScope, string>> = {
  'metrics:read': 'your metrics with their history, such as cash balance or headcount',
  'accounts:read': 'your bank, card and ledger accounts with their balances',
  'sources:read': 'the systems that your data comes from, and when they last delivered it',
};

const changed: Changed = {
  'contact.added': 'A person was added',
  'contact.removed': 'A person was removed',
  'contact.role_changed': 'The role of a person was changed',
  'api_key.created': 'An API key was created',
  'api_key.rotated': 'An API key was replaced by a new one',
  'company_key.created': 'A company key was created',
  'company_key.rotated': 'A company key was replaced by a new one',
  'webhook_endpoint.created': 'A webhook was added',
  'webhook_endpoint.changed': 'A webhook was changed',
  'company.approval_rule_changed': 'The number of people who must approve access was changed',
};

/** The English texts of mails. Names are already shortened to one line. Dates and numbers are already formatted. */
export const en = {
  tag: 'en',
  locale: 'en-GB',
  roles,
  scopes,

  request: {
    subject: (investor: string, company: string, hasMore: boolean) =>
      `${investor} asks for ${hasMore ? 'more ' : ''}access to data of ${company}`,
    asks: (investor: string, company: string) =>
      `${investor} asks ${company} for permission to read:`,
    asksMore: (investor: string, company: string) =>
      `${investor} has extended its request to ${company} and now asks to read:`,
    adds: (investor: string, company: string) =>
      `${investor} asks ${company} for permission to also read:`,
    stillReadable: 'The investor can already read this, also while you decide:',
    choices: (date: string) =>
      `You can approve everything, approve a part, or decline. Without an answer by ${date}, the request expires and nothing is shown.`,
    choicesOfAddition: (date: string) =>
      `You can approve everything, approve a part, or decline. Without an answer by ${date}, when the present access ends, nothing is added.`,
    noPurpose: 'The investor gave no purpose.',
    purpose: 'The purpose, as the investor wrote it:',
    open: 'Open the request',
    byApi: 'To answer, use your dashboard or the company API with your company key:',
    noAnswerByMail:
      "Opening this mail or replying to it doesn't answer the request. We never ask for a key or a password by mail.",
    origin: (company: string, id: string, date: string) =>
      `You get this mail as a contact of ${company}. Access request ${id}, ${date}`,
  },

  ending: {
    subject: (investor: string, company: string) =>
      `The access of ${investor} to data of ${company} ends soon`,
    text: (investor: string, company: string, date: string) =>
      `The access of ${investor} to data of ${company} ends on ${date}. Until then, the investor can read:`,
    choices:
      "If the access should end, you don't need to do anything. You can also extend it, or revoke it now.",
  },

  review: {
    subject: (investor: string, company: string) =>
      `Should ${investor} keep its access to data of ${company}?`,
    text: (investor: string, company: string, date: string) =>
      `${investor} has had access to data of ${company} for 90 days. The access ends on ${date}. Until then, the investor can read:`,
    choices:
      "If the access should continue, you don't need to do anything. You can also limit it or end it now.",
  },

  secondApproval: {
    subject: (investor: string, company: string) =>
      `A second person must approve the request of ${investor} to ${company}`,
    text: (investor: string, company: string) =>
      `One person at ${company} has approved that ${investor} may read:`,
    choices:
      'The access starts when a second person approves exactly this. Until then, the investor can read nothing new.',
  },

  terms: {
    metrics: (names: string) => `only these metrics: ${names}`,
    from: (date: string) => `only values for periods from ${date} on`,
    once: 'only for a short time: the access ends 24 hours after the first read',
  },

  ended: {
    subject: (investor: string, company: string) =>
      `The access of ${investor} to data of ${company} has ended`,
    byTime: (investor: string, company: string, date: string) =>
      `The access of ${investor} to data of ${company} ended on ${date}, because its time was over. The investor can no longer read:`,
    byInvestor: (investor: string, company: string, date: string) =>
      `${investor} gave up its access to data of ${company} on ${date}. The investor can no longer read:`,
    todo: "You don't need to do anything. To read again, the investor must ask you again.",
  },

  ways: {
    link: 'You sign in with this address, by a link that you get by mail.',
    provider: (name: string, orLink: boolean) =>
      `You sign in with ${name}, using the account with this address${orLink ? ', or by a link that you get by mail' : ''}.`,
  },

  invitation: {
    subject: (name: string) => `You are now a contact of ${name}`,
    added: (by: string | null, name: string, role: string | null) =>
      `${by === null ? 'The operator of this service' : by} added you at Portfolio Access as a contact of ${name}${role === null ? '' : `, with the role ${role}`}.`,
    ofCompany: (name: string) =>
      `There, investors ask to read data of ${name}, and its contacts decide who reads what, and for how long. You get a mail when an investor asks.`,
    ofInvestor: (name: string) =>
      `There, ${name} reads the data that the companies of its portfolio share, and asks them for more. A company sees who has read its data, including your address.`,
    noDesk: "You don't need to do anything now. Each mail explains how to answer.",
    ways: {
      link: "To look around, open the desk and enter this address. You get a link by mail to sign in, and don't need a password.",
      provider: (name: string, orLink: boolean) =>
        `To look around, open the desk and sign in with ${name}, using the account with this address${orLink ? ', or enter this address and get a link by mail' : ''}.`,
    },
    open: 'Open the desk',
    note: (name: string) =>
      `If you have nothing to do with ${name}, contact the operator of this service. We never ask for a key or a password by mail.`,
  },

  settings: {
    changed,
    text: (what: string, owner: string, subject: string) => `${what} at ${owner}: ${subject}.`,
    by: (who: string, date: string) => `By ${who}, on ${date}.`,
    operator: 'the operator of this service',
    key: (id: string) => `the key ${id}`,
    todo: "If you expected this change, you don't need to do anything. If not, an unknown person may have access. Sign in, remove unknown people and webhooks, revoke unknown keys, and contact the operator of this service at once. The settings log shows every change.",
    open: 'Open the log',
    note: (id: string) => `Change ${id}`,
  },

  signIn: {
    subject: 'Your link to sign in to Portfolio Access',
    text: 'A link to sign in was requested for this address, probably by you. Press the button here, and then the button on the page that opens.',
    button: 'Sign in',
    valid: (minutes: number) => `The link is valid for ${minutes} minutes and works once.`,
    note: 'If you did not request it, ignore this mail and do not forward the link.',
  },

  news: {
    digest: (count: string) => `Your portfolio: news of ${count} companies`,
    digestOfOne: (company: string) => `Your portfolio: news of ${company}`,
    lead: (investor: string) => `What happened in the portfolio of ${investor}:`,
    approved: (company: string) => `${company} approved your request`,
    extended: (company: string) => `${company} extended your access`,
    until: (text: string, date: string) => `${text}. The access ends on ${date}`,
    declined: (company: string) => `${company} declined your request`,
    revoked: (company: string) => `${company} ended your access`,
    narrowed: (company: string) => `${company} limited your access`,
    paused: (company: string) => `${company} paused your access`,
    resumed: (company: string) => `${company} resumed your access`,
    ending: (company: string) => `Your access to ${company} ends soon`,
    endsOn: (company: string, date: string) => `Your access to ${company} ends on ${date}`,
    ended: (company: string) => `Your access to ${company} has ended`,
    unanswered: (company: string) => `${company} didn't answer your request in time`,
    corrected: (company: string) => `${company} corrected figures`,
    corrections: (company: string, values: string, isOne: boolean, keys: string) =>
      `${company} corrected ${values} ${isOne ? 'value' : 'values'}: ${keys}`,
    late: (company: string) => `Data of ${company} is late`,
    lateSources: (company: string, names: string) => `Data of ${company} is late: ${names}`,
    andMore: (shown: string, count: string) => `${shown} and ${count} more`,
    moreCompanies: (count: string) => `And ${count} more companies`,
    open: 'Open the portfolio',
    openCompany: 'Open the company',
    origin: (investor: string) =>
      `You get this mail as a contact of ${investor}. It contains no figures.`,
    choose: 'Under Settings, Emails, you can choose which emails you get.',
  },
};

export type MailWords = typeof en;
