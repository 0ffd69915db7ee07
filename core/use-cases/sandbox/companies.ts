/** The sandbox companies by their behaviour. They exist only in the test environment. */
export const sandboxCompanies = {
  approves: { id: 'co_test_approves', name: 'Sandbox: approves' },
  approvesPart: { id: 'co_test_approves_part', name: 'Sandbox: approves a part' },
  declines: { id: 'co_test_declines', name: 'Sandbox: declines' },
  revokes: { id: 'co_test_revokes', name: 'Sandbox: approves, then revokes' },
  expires: { id: 'co_test_expires', name: 'Sandbox: approves for five seconds' },
  neverAnswers: { id: 'co_test_never_answers', name: 'Sandbox: never answers' },
} as const;

export const sandboxCompanyIds = Object.values(sandboxCompanies).map(({ id }) => id);
