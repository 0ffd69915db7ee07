import { findFeedProblems } from '../../model/consistency/feed-state.ts';
import type { ConsistencyCheck, Inconsistency } from '../../model/consistency/inconsistency.ts';
import { findUnloggedSettings } from '../../model/consistency/logged-settings.ts';
import {
  findRevisionProblem,
  type StoredRevision,
  type StoredValue,
  signatureOf,
} from '../../model/consistency/stored-value.ts';
import { addDays } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';
import { startOfFeed } from '../feed/feed-window.ts';
import {
  hasSigningKey,
  inspectConsents,
  type Verify,
  verifyWith,
} from '../proof/inspect-consents.ts';

type Found = Omit<Inconsistency, 'check'>;

/** Runs one check. Reads whole tables and takes no locks. */
export const findInconsistencies =
  (ports: Ports) =>
  async (check: ConsistencyCheck, onFound: (found: Inconsistency) => void): Promise<void> => {
    for await (const found of checks[check](ports)) onFound({ check, ...found });
  };

const checks: Readonly<Record<ConsistencyCheck, (ports: Ports) => AsyncIterable<Found>>> = {
  async *consents(ports) {
    yield* inspectConsents(ports, 'all', { mustBeSigned: await hasSigningKey(ports) });
    for (const subject of await ports.consistency.listStrayReceipts()) {
      yield { subject, problem: 'the event of this receipt belongs to another request' };
    }
  },

  async *feed({ clock, consistency }) {
    // The check leaves out the first day of the feed. An event can have an earlier time than the event before it. So
    // the service may already have deleted single events near the start of the feed.
    const feed = await consistency.readFeed(addDays(startOfFeed(clock), 1));
    for (const problem of findFeedProblems(feed)) yield { subject: 'feed', problem };
  },

  async *versions({ consistency }) {
    for await (const ids of consistency.listOutdatedVersions()) {
      for (const subject of ids) {
        yield { subject, problem: 'its data changed without a new data version' };
      }
    }
  },

  async *values(ports) {
    const verify = verifyWith(ports);
    for await (const values of ports.consistency.walkValues()) {
      const problems = await Promise.all(values.map((value) => findValueProblem(value, verify)));
      yield* problems.filter((problem) => problem !== null);
    }
  },

  async *names({ consistency }) {
    for (const subject of await consistency.listOutdatedNames()) {
      yield { subject, problem: 'a portfolio has a different name for it' };
    }
  },

  async *settings({ consistency }) {
    for await (const owners of consistency.walkSettings()) {
      for (const owned of owners) {
        const subject = 'companyId' in owned.owner ? owned.owner.companyId : owned.owner.investorId;
        for (const problem of findUnloggedSettings(owned)) yield { subject, problem };
      }
    }
  },

  async *counts({ accessStatistics }) {
    for (const subject of await accessStatistics.listMiscountedDays()) {
      yield { subject, problem: 'its counts differ from its access records' };
    }
  },
};

async function findValueProblem(value: StoredValue, verify: Verify): Promise<Found | null> {
  const { companyId, key, period } = (value[0] as StoredRevision).claims;
  const problem = findRevisionProblem(value) ?? (await findWrongSignature(value, verify));
  return problem === null ? null : { subject: `${companyId} ${key} ${period}`, problem };
}

async function findWrongSignature(value: StoredValue, verify: Verify): Promise<string | null> {
  for (const revision of value) {
    const jws = signatureOf(revision);
    if (jws !== null && !(await verify(jws))) {
      return `the signature of revision ${revision.claims.revision} is wrong`;
    }
  }
  return null;
}
