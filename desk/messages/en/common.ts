export const common = {
  name: 'English',
  direction: 'ltr' as 'ltr' | 'rtl',
  product: 'Portfolio Access',
  skip: 'Skip to the content',
  language: 'Language',
  change: 'Change',
  back: 'Back',
  cancel: 'Cancel',
  more: 'Older',
  newest: 'Newest',
  show: 'Show',
  never: 'never',
  optional: 'optional',

  roleNote: (own: string, needed: string) =>
    `Your role is ${own}. This takes the role ${needed}: ask an admin of your organisation.`,

  // In a narrow window a name takes two lines at most.
  nav: {
    label: 'Pages',
    portfolio: 'Portfolio',
    compare: 'Compare',
    requests: 'Requests',
    reads: 'Our reads',
    inbox: 'Inbox',
    grants: 'Shared',
    activity: 'Reads',
    data: 'Your data',
    settings: 'Settings',
    menu: 'Account',
    sessions: 'Where you are signed in',
    switchOrganisation: 'Switch organisation',
    signOut: 'Sign out',
    signedInAs: (email: string) => `Signed in as ${email}`,
  },

  live: {
    changed: 'This page has changed.',
    reload: 'Reload',
  },

  fromOtherSite: {
    title: 'Open the figures?',
    text: 'A link outside this service led you here. Companies see when you open their figures.',
    continue: 'Continue',
  },
  errors: {
    home: 'Go to the inbox',
    notFoundTitle: 'Not found',
    notFound: 'This page doesn’t exist, or doesn’t belong to your organisation.',
    forbiddenTitle: 'The form wasn’t sent from our page',
    forbidden: 'Nothing was changed. Open the page again and send the form from there.',
    deniedTitle: 'You have no access to this',
    denied: 'It isn’t shared with you now. The page of the request shows the state.',
    roleTitle: 'Your role doesn’t allow this',
    role: 'Nothing was changed. Ask an admin of your organisation for another role. The menu shows your role.',
    otherOrganisationTitle: 'You have switched organisations',
    otherOrganisation: (name: string) =>
      `Nothing was changed. The form belongs to another organisation, and you act for ${name} now. Switch back, then open the page again.`,
    otherSide: (name: string) =>
      `You act for ${name}. This page isn’t for you: companies decide, investors read.`,
    tooManyTitle: 'Too many requests',
    tooMany: 'Wait a minute, then reload the page.',
    unavailableTitle: 'We can’t answer right now',
    unavailable:
      'A system that we need doesn’t answer. Reload the page in a moment. Check the result before you send a form again.',
    badTitle: 'This isn’t valid',
    bad: 'A field of the form or a part of the address isn’t valid. Go back and try again.',
    tooLargeTitle: 'This is too large',
    tooLarge: 'Nothing was changed. Send less data at once.',
    internalTitle: 'Something went wrong',
    internal:
      'This is our fault, and it was logged. Try again. If it happens again, send us this number:',
    request: (id: string) => `Request ${id}`,
  },
};
