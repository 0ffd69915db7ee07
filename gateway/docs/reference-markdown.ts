interface Described {
  readonly info: { readonly title: string; readonly description?: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Operations>>;
  readonly webhooks?: Readonly<Record<string, Operations>>;
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
}

type Operations = Readonly<Record<string, Operation>>;

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

interface Response {
  readonly description?: string;
  readonly content?: Content;
}

interface Reference {
  readonly $ref: string;
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

export function writeReferenceMarkdown(document: Described): string {
  const { info, servers, paths, webhooks = {}, components } = document;
  const writeOperation = operationWriter(components.responses);
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

const operationWriter =
  (shared: Readonly<Record<string, Response>>) =>
  (heading: string, operation: Operation): string => {
    const { summary, description, parameters = [], requestBody } = operation;
    const parameterLines = parameters.map(
      ({ name, in: location, required, schema, description: text = schema?.description }) =>
        `- \`${name}\` (${location}${required ? ', required' : ''})${text ? `: ${text}` : ''}`,
    );
    const responses = Object.entries(operation.responses).map(
      ([status, response]) =>
        [status, '$ref' in response ? shared[nameOf(response)] : response] as const,
    );
    const answers = responses.map(
      ([status, response]) =>
        `- ${status}: ${(response?.description ?? '').replaceAll(/\s*\n\s*/g, ' ')}`,
    );
    const success = responses.find(([status]) => /^2\d\d$/.test(status))?.[1];
    const parts = [
      `## ${heading}`,
      summary && `**${summary}**`,
      description,
      parameterLines.length > 0 ? `Parameters:\n\n${parameterLines.join('\n')}` : undefined,
      writeExample('Body', requestBody?.content),
      `Answers:\n\n${answers.join('\n')}`,
      writeExample('Example', success?.content),
    ];
    return parts.filter((part) => part).join('\n\n');
  };

const nameOf = ({ $ref }: Reference): string => $ref.replace('#/components/responses/', '');

function writeExample(title: string, content: Content | undefined): string | undefined {
  const { example, examples = {} } = content?.['application/json'] ?? {};
  const shown = example ?? Object.values(examples)[0]?.value;
  if (shown === undefined) return undefined;
  return `${title}:\n\n\`\`\`json\n${JSON.stringify(shown, null, 2)}\n\`\`\``;
}
