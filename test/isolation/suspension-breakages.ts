import { companyAccess, type Directory, type Ports } from '#core';
import type { BrokenPolicy } from './find-fault.ts';

type Suspend = Directory['suspend'];

const suspends =
  (make: (suspend: Suspend) => Suspend) =>
  ({ directory }: Ports): Partial<Ports> => ({
    directory: { ...directory, suspend: make(directory.suspend) },
  });

export const suspensionBreakages: Readonly<Record<string, BrokenPolicy>> = {
  'lets a suspended investor continue': {
    replace: suspends(
      (suspend) => async (owner, at, change) => 'investorId' in owner || suspend(owner, at, change),
    ),
    explanation: /because .*the key has ended/,
  },
  'lets investors read a suspended company': {
    replace: suspends(
      (suspend) => async (owner, at, change) => 'companyId' in owner || suspend(owner, at, change),
    ),
    explanation:
      /because .*(?:not in the portfolio|this is the portfolio|these are the events of the portfolio|the key has ended)/,
  },
  'keeps a suspension after its end': {
    world: 1,
    replace: suspends(
      (suspend) => async (owner, at, change) => at === null || suspend(owner, at, change),
    ),
    explanation: /because /,
  },
  'lets an investor with a grant read a suspended company': {
    world: 19,
    replace: ({ accessFacts, apiKeys, directory, clock }) => {
      const read: typeof accessFacts.read = async (question) => {
        const facts = await accessFacts.read(question);
        const { investorId } = (await apiKeys.find(question.keyId)) ?? { investorId: '' };
        const pair = { investorId, companyId: question.companyId, limit: 1 };
        const [membership] = await directory.listMemberships(pair);
        const isGranted = companyAccess(facts.newestRequest, clock.now()) === 'approved';
        return {
          ...facts,
          isInPortfolio: facts.isInPortfolio || (isGranted && membership !== undefined),
        };
      };
      return {
        accessFacts: {
          ...accessFacts,
          read,
          async authenticate({ companyId, ...question }) {
            const found = await accessFacts.authenticate({ ...question, companyId: null });
            if (found === null || companyId === null) return found;
            return { ...found, facts: await read({ keyId: found.key.id, companyId }) };
          },
        },
      };
    },
    explanation: /because .*the company is not in the portfolio/,
  },
};
