import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest test files, slowest first, as measured on an idle machine. */
const longest = [
  'gateway/overload',
  'cli/command',
  'db/embedded',
  'package/client',
  'isolation/',
  'repository/deployment',
  'bench/',
  'processes/',
  'parity/',
  'events/resume',
  'package/',
  'db/plans',
  'db/schema',
  'db/outages',
  'desk/',
  'repository/build',
  'hostile/',
  'db/',
  'openapi/',
  'repository/',
  'verify/served',
  'gateway/mail',
  'graphql/graphiql',
  'readme/',
  'cli/',
];

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = longest.findIndex((part) => moduleId.includes(`/test/${part}`));
  return rank === -1 ? longest.length : rank;
};

const projects = ['process', 'servers', 'database', 'browser', 'unit'];

const turnOf = ({ project }: TestSpecification): number => projects.indexOf(project.name);

/**
 * Starts slow files first, so all test processes end at about the same time. The order is stable.
 * Files are grouped by project, so a process rarely changes the project.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted(
      (one, other) =>
        turnOf(one) - turnOf(other) ||
        rankOf(one) - rankOf(other) ||
        (one.moduleId < other.moduleId ? -1 : 1),
    );
  }
}
