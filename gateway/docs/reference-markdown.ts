/** What is read of an OpenAPI document. */
interface Described {
  readonly info: { readonly title: string; readonly description?: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Operations>>;
  readonly webhooks?: Readonly<Record<string, Operations>>;
}

type Operations = Readonly<Record<string, Operation>>;

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly description?: string; readonly content?: Content }>
  >;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: { readonly description?: string };
  readonly description?: string;
}

type Content = Readonly<
  Record<
    string,
    {
      readonly example?: unknown;
      readonly examples?: Readonly<Record<string, { value?: unknown }>>;
    }
  >
>;

/** The reference as Markdown, for those who read no pages: each operation with its parameters, examples and statuses. */
export function writeReferenceMarkdown({ info, servers, paths, webhooks = {} }: Described): string {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) =>
      writeOperation(`${method.toUpperCase()} ${path}`, operation),
    ),
  );
  const messages = Object.entries(webhooks).flatMap(([name, item]) =>
    Object.values(item).map((operation) => writeOperation(`Webhook ${name}`, operation)),
  );
  const parts = [
    `# ${info.title}`,
    info.description,
    `Base address: ${servers.map(({ url }) => url).join(', ')}`,
    ...operations,
    ...messages,
  ];
  return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`;
}

function writeOperation(
  heading: string,
  { summary, description, parameters = [], requestBody, responses }: Operation,
): string {
  const given = parameters.map(
    ({ name, in: place, required, schema, description: text = schema?.description }) =>
      `- \`${name}\` (${place}${required ? ', required' : ''})${text ? `: ${text}` : ''}`,
  );
  const answers = Object.entries(responses).map(([status, { description: text = '' }]) => {
    return `- ${status}: ${text.replaceAll(/\s*\n\s*/g, ' ')}`;
  });
  const success = Object.entries(responses).find(([status]) => /^2\d\d$/.test(status))?.[1];
  const parts = [
    `## ${heading}`,
    summary && `**${summary}**`,
    description,
    given.length > 0 ? `Parameters:\n\n${given.join('\n')}` : undefined,
    writeExample('Body', requestBody?.content),
    `Answers:\n\n${answers.join('\n')}`,
    writeExample('Example', success?.content),
  ];
  return parts.filter((part) => part).join('\n\n');
}

function writeExample(title: string, content: Content | undefined): string | undefined {
  const { example, examples = {} } = content?.['application/json'] ?? {};
  const shown = example ?? Object.values(examples)[0]?.value;
  if (shown === undefined) return undefined;
  return `${title}:\n\n\`\`\`json\n${JSON.stringify(shown, null, 2)}\n\`\`\``;
}
