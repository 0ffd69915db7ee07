import { text as textOfStream } from 'node:stream/consumers';
import { InvalidArgumentError } from 'commander';
import { environments, type OperatorUseCases } from '#core';
import { exitCodes } from '../../gateway/describe-error.ts';
import { escapeControls } from '../../gateway/logs/escape-controls.ts';
import { freeCommand } from '../command.ts';
import type { CliContext } from '../context.ts';
import { parseDocument, readText } from '../import/input.ts';
import { readCompanies } from '../onboard/companies-csv.ts';
import { createMissing, type Step } from '../onboard/create-missing.ts';
import {
  type Onboarding,
  type OnboardingDocument,
  onboardingSchema,
  splitByCompany,
} from '../onboard/document.ts';
import {
  addCompanyId,
  type CompanyMapping,
  readCompanyMapping,
  readExisting,
  textOf,
  writeMapping,
} from '../onboard/mapping.ts';
import { readState, type State } from '../onboard/state.ts';
import { argumentOf, flag, oneOf, optional, parseCompanyScopes, parseScopes } from '../options.ts';
import { CommandError, type CommandResult } from '../output.ts';
import { renderFields } from '../table.ts';

const explanation = `
The file is JSON; docs/operating.md shows an example. Instead of company, it can have a list named companies. A file
named .csv has one company per row, in the columns id, name and contacts; options set the rest. Existing data stays
unchanged, so the same command can run again, even after an interrupted run. If the file contradicts existing data, the
command lists the contradictions and changes nothing. New contacts are invited by mail. Each step is printed when it is
done, with the secret of a key. With --json, each step is a line, and the last line shows whether everything is done.
Two runs for the same organisations stop each other.`;

const collect = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  text,
];

const keyBy =
  (parse: (scopes: string) => readonly string[], example: string) =>
  (text: string, before: readonly object[] = []): readonly object[] => {
    const [, name, scopes] = /^(.+)=([^=]*)$/.exec(text) ?? [];
    if (name === undefined || scopes === undefined) {
      throw new InvalidArgumentError(`It must be a name and scopes, like "${example}".`);
    }
    return [...before, { name, scopes: parse(scopes) }];
  };

const parameters = {
  path: argumentOf<string | undefined>('[file]', 'a file with the wanted result; - for stdin'),
  environment: oneOf('--env <environment>', 'the environment of all organisations', environments),
  investor: optional('--investor <name>', 'name of the investor, or the id of an existing one'),
  company: optional('--company <name>', 'name of the company'),
  companyId: optional('--company-id <id>', 'id of an existing company, or the id for a new one'),
  contacts: optional('--contact <address>', 'a contact of the company; can be repeated', collect),
  investorContacts: optional(
    '--investor-contact <address>',
    'a contact of the investor; can be repeated',
    collect,
  ),
  keys: optional(
    '--key <name=scopes>',
    'a key of the investor; can be repeated',
    keyBy(parseScopes, 'Nightly=companies:read'),
  ),
  companyKeys: optional(
    '--company-key <name=scopes>',
    'a key of the company; can be repeated',
    keyBy(parseCompanyScopes, 'Ledger=data:write'),
  ),
  mapping: optional('--mapping <file>', 'the meaning of the columns of the company’s CSV files'),
  mappingOut: optional(
    '--mapping-out <file>',
    'the file to write the mapping with the company’s id to',
  ),
  dryRun: flag('--dry-run', 'show what would be created, and change nothing'),
};

export const commands = freeCommand(
  'onboard',
  'create an investor, companies, their contacts and keys, unless they exist',
  {
    examples: [
      'harbor.json --dry-run',
      'harbor.json',
      'companies.csv --env live --investor "North Capital" --company-key Ledger=data:write',
      '--env live --investor "North Capital" --company "Harbor Robotics" --contact board@harbor.example',
    ],
    explanation,
    json: 'one JSON document per line: each step, then the summary',
    parameters,
    async act(args, context, show) {
      const { path, mappingOut, dryRun: isDryRun } = args;
      const wanted = path === undefined ? fromOptions(args) : await fromFile(path, args, context);
      const mapping =
        wanted.mapping === undefined ? null : await readCompanyMapping(wanted.mapping, path);
      if (mappingOut !== undefined && mapping === null) {
        throw new CommandError('--mapping-out needs a mapping', exitCodes.usage);
      }
      await context.withComposition(({ operatorUseCases: operator }) =>
        onboard({
          wanted: splitByCompany(wanted),
          mapping,
          mappingOut,
          operator,
          isDryRun,
          stderr: context.stderr,
          show,
        }),
      );
    },
  },
);

type Args = {
  readonly [Name in keyof typeof parameters]: ReturnType<(typeof parameters)[Name]['valueIn']>;
};

function fromOptions(args: Args): OnboardingDocument {
  return parseDocument(
    JSON.stringify(documentOf(args)),
    'the combination of options',
    onboardingSchema,
  );
}

function documentOf(args: Args) {
  const { environment, investor, company, companyId, contacts, keys, companyKeys, mapping } = args;
  const { investorContacts } = args;
  const ofInvestor = {
    ...(investor?.startsWith('inv_') ? { id: investor } : { name: investor }),
    contacts: investorContacts,
    keys,
  };
  const hasCompany = [company, companyId, contacts, companyKeys].some((one) => one !== undefined);
  return {
    environment,
    ...((investor ?? investorContacts ?? keys) !== undefined && { investor: ofInvestor }),
    ...(hasCompany && {
      company: { id: companyId, name: company, contacts, keys: companyKeys },
    }),
    mapping,
  };
}

/** The command's options apply to each company of the file. */
async function fromCsv(path: string, args: Args): Promise<OnboardingDocument> {
  const { company, companyId, contacts, mapping, companyKeys: keys } = args;
  if ([company, companyId, contacts, mapping].some((one) => one !== undefined)) {
    throw new CommandError('with a CSV file, each row names its company', exitCodes.usage);
  }
  const companies = readCompanies(await readText(path), path);
  const document = {
    ...documentOf({ ...args, companyKeys: undefined }),
    companies: companies.map((each) => ({ ...each, keys })),
  };
  const toRow = (fieldPath: readonly PropertyKey[]) =>
    typeof fieldPath[1] === 'number' && fieldPath[0] === 'companies'
      ? [`row ${fieldPath[1] + 1}`, ...fieldPath.slice(2)]
      : fieldPath;
  return parseDocument(JSON.stringify(document), path, onboardingSchema, toRow);
}

async function fromFile(
  path: string,
  args: Args,
  { stdin }: Pick<CliContext, 'stdin'>,
): Promise<OnboardingDocument> {
  if (/\.csv$/i.test(path)) return fromCsv(path, args);
  const { dryRun: _dryRun, mappingOut: _mappingOut, path: _path, ...others } = args;
  if (Object.values(others).some((value) => value !== undefined)) {
    throw new CommandError('use a file or options, not both', exitCodes.usage);
  }
  return path === '-'
    ? parseDocument(await textOfStream(stdin), 'stdin', onboardingSchema)
    : parseDocument(await readText(path), path, onboardingSchema);
}

interface Onboard {
  readonly wanted: readonly Onboarding[];
  readonly mapping: CompanyMapping | null;
  readonly mappingOut: string | undefined;
  readonly operator: OperatorUseCases;
  readonly isDryRun: boolean;
  readonly stderr: CliContext['stderr'];
  readonly show: (result: CommandResult) => Promise<void>;
}

async function onboard({ wanted, mapping, mappingOut, operator, isDryRun, stderr, show }: Onboard) {
  const read = (one: Onboarding) => readState(one, operator, new Date());
  const existing = mappingOut === undefined ? null : await readExisting(mappingOut);
  const refuse = (found: Iterable<string>, consequence: string) => {
    const contradictions = new Set(found);
    if (contradictions.size === 0) return;
    for (const one of contradictions) stderr.write(`${escapeControls(one)}\n`);
    throw new CommandError(`the existing data contradicts the request, so ${consequence}`);
  };
  const found: string[] = [];
  const tasks: { readonly one: Onboarding; readonly state: State }[] = [];
  let companyId: string | null = null;
  for (const one of wanted) {
    const { state, contradictions } = await read(one);
    companyId = state.company?.id ?? one.company?.id ?? null;
    found.push(...contradictions);
    tasks.push({ one, state });
  }
  found.push(...contradictionsOfMapping(mapping, companyId, mappingOut, existing));
  refuse(found, 'nothing was changed');
  const steps: Step[] = [];
  let made: object | null = null;
  const result = (isComplete: boolean) => toResult(steps, made, { isDryRun, isComplete });
  try {
    for (const [index, { one, state }] of tasks.entries()) {
      const readAgain = async () => {
        const now = await read(one);
        refuse(now.contradictions, 'the run was stopped: other changes were made during the run');
        return now.state;
      };
      const work = { wanted: one, state, readState: readAgain, operator, isDryRun };
      for await (const step of createMissing(work)) {
        // The step for the investor repeats for each company. Only the first one is reported.
        if (index > 0 && step.thing === 'investor') continue;
        steps.push(step);
        // Prints each step at once. If the process is killed later, the secrets so far have already been shown.
        await show(toLine(step));
      }
    }
    const id = steps.find(({ thing }) => thing === 'company')?.id ?? companyId;
    if (mapping !== null && id !== null) {
      made = addCompanyId(mapping, id);
      if (mappingOut !== undefined && existing === null && !isDryRun) {
        await writeMapping(mappingOut, made);
      }
    }
  } catch (error) {
    await show(result(false));
    throw error;
  }
  await show(result(true));
}

function* contradictionsOfMapping(
  mapping: CompanyMapping | null,
  companyId: string | null,
  path: string | undefined,
  existing: string | null,
): Generator<string> {
  if (mapping === null) return;
  const others = mapping.companyIds.filter((id) => id !== companyId);
  if (others.length > 0) {
    yield `the mapping is for ${[...new Set(others)].join(', ')}, not for ${companyId ?? 'the new company'}`;
  }
  if (existing === null) return;
  if (companyId === null || existing !== textOf(addCompanyId(mapping, companyId))) {
    yield `${path} contains a different mapping`;
  }
}

const words: Readonly<Record<Step['outcome'], string>> = {
  created: 'created',
  existing: 'exists already',
  would_create: 'would be created',
};

function summarize(steps: readonly Step[], isDryRun: boolean): string {
  if (steps.every(({ outcome }) => outcome === 'existing')) {
    return 'Nothing was changed: everything exists already.';
  }
  return isDryRun ? 'Nothing was changed.' : 'Everything exists now.';
}

const thingWidth = 'company key'.length;

function toLine(step: Step): CommandResult {
  const { thing, name, id, outcome, secret } = step;
  const fields = [thing.replace('_', ' ').padEnd(thingWidth), name, id ?? '-', words[outcome]];
  const line = escapeControls(fields.join('  '));
  return {
    json: { object: 'onboarding_step', ...step },
    text: secret === undefined ? line : `${line}\n${renderFields({ [id ?? '']: secret })}`,
  };
}

function toResult(
  steps: readonly Step[],
  mapping: object | null,
  { isDryRun, isComplete }: { readonly isDryRun: boolean; readonly isComplete: boolean },
): CommandResult {
  const below = [
    ...(steps.some(({ secret }) => secret !== undefined)
      ? ['Store the secrets now: they will not be shown again.']
      : []),
    isComplete
      ? summarize(steps, isDryRun)
      : 'Some steps are missing: run the command again to complete them.',
    ...(mapping === null ? [] : [textOf(mapping).trimEnd()]),
  ];
  return {
    json: { object: 'onboarding', dry_run: isDryRun, complete: isComplete, mapping },
    text: below.map((text) => `\n${text}`).join('\n'),
  };
}
