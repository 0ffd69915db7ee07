import type { ConsentCalls } from '#http';

export const calls: ConsentCalls = {
  request: 'the mutation requestAccess',
  amend: (id) => `the mutation amendAccessRequest of ${id}`,
  read: (id) => `the field accessRequest of ${id}`,
};
