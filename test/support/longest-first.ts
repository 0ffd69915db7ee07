import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, the longest first; measured without anything else on the machine. */
const longest = [
  'isolation/isolation',
  'isolation/broken-policies',
  'cli/process',
  'verify/properties',
  'db/embedded',
  'bench/',
  'package/client',
  'house/deployment',
  'processes/',
  'db/outages',
  'desk/',
  'parity/embedded',
  'hostile/raw-bytes',
  'parity/',
  'isolation/',
  'readme/',
  'gateway/rate-limiter-outages',
  'conformance/database-outage',
  'hostile/',
  'house/build',
  'graphql/hostile',
  'gateway/health',
  'trpc/hostile',
];

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = longest.findIndex((part) => moduleId.includes(`/test/${part}`));
  return rank === -1 ? longest.length : rank;
};

/** What takes long begins first, so that the processes end together; the order is the same in every run. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted(
      (one, other) => rankOf(one) - rankOf(other) || (one.moduleId < other.moduleId ? -1 : 1),
    );
  }
}
