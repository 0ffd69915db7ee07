import { linkMinutes } from '#core';

export const signIn = {
  signIn: {
    title: 'Sign in',
    lead: 'Companies decide who reads their data, and see each read. Investors read the data that companies share.',
    email: 'Your email address',
    send: 'Send me a link',
    hint: 'We send you a link to sign in. You need no password.',
    sentTitle: 'Check your email',
    sent: (email: string) =>
      `If ${email} has access here, we have sent a link. It works once, within ${linkMinutes} minutes.`,
    noMailTitle: 'This service sends no emails',
    noMail:
      'We can’t send you a link to sign in. Ask the operator of this service to create one with the command “desk link”.',
    notCome:
      'No email? Check your spam folder, and check that you were invited with this address. The operator of this service can also create a link.',
    again: 'Use another address',
    invalidEmail: 'Enter a valid email address, for example name@example.com.',
    tooMany: 'Too many links were requested. Wait a minute, then try again.',
    confirmTitle: 'Sign in on this device',
    confirm: 'Press the button to sign in. If you didn’t request a link, close this page.',
    confirmButton: 'Sign in',
    deadTitle: 'This link has expired',
    dead: `A link works once, within ${linkMinutes} minutes. Request a new one.`,
    newLink: 'Request a new link',
    signedOut: 'You are signed out.',
    ended: 'You aren’t signed in. Sign in to continue.',
    provider: (name: string) => `Sign in with ${name}`,
    orLink: 'Or with a link',
  },

  provider: {
    again: 'Try again',
    other: 'Use another account',
    back: 'Back to sign-in',
    declinedTitle: 'You aren’t signed in',
    declined: (name: string) => `${name} didn’t sign you in.`,
    outdatedTitle: 'This sign-in has expired',
    outdated:
      'It started too long ago or in another browser, or is already complete. Sign in again.',
    invalidTitle: 'The sign-in failed',
    invalid: (name: string) =>
      `We couldn’t verify the answer from ${name}. If this happens again, contact the operator of this service.`,
    unreachableTitle: 'You can’t sign in right now',
    unreachable: (name: string) => `${name} doesn’t answer. Try again in a minute.`,
    noEmailTitle: 'Your account has no address',
    noEmail: (name: string) =>
      `${name} didn’t send your email address (the claim “email”). Ask the person who manages your account.`,
    unverifiedTitle: 'Your address is not verified',
    unverified: (name: string, email: string) =>
      `${name} hasn’t verified that ${email} is your address. Ask the person who manages your account to verify it.`,
    emailUnverifiedTitle: 'Your address can’t be checked',
    emailUnverified: (name: string, email: string) =>
      `${name} doesn’t report whether ${email} is verified (the claim “email_verified”). Contact the operator of this service.`,
    noContactTitle: 'No access for this address',
    noContact: (email: string) =>
      `${email} has no access. Sign in with the address of your invitation, or ask a colleague to add this one.`,
  },

  companies: {
    title: 'Choose an organisation',
    lead: 'Your address belongs to several organisations.',
    kinds: { company: 'Company', investor: 'Investor' },
    open: (company: string) => `Open ${company}`,
  },

  sessions: {
    lead: 'If you don’t recognise a session, end it. It stops working at once.',
    unknown: 'Unknown browser',
    current: 'this session',
    device: 'Browser',
    way: 'How',
    end: 'End',
    endOf: (device: string) => `End: ${device}`,
    endOthers: 'End all others',
    ended: 'The session has ended.',
    alone: 'You aren’t signed in anywhere else.',
  },
};
