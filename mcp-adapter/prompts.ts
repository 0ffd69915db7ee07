import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server';

/** A task that a user chooses in the host. Contains instructions for the agent. */
interface PromptDefinition extends Prompt {
  write(args: Readonly<Record<string, string>>): string;
}

const definitions: readonly PromptDefinition[] = [
  {
    name: 'review_my_portfolio',
    title: 'Review my portfolio',
    description: 'Summarizes the latest metrics of the companies that have granted access.',
    arguments: [
      { name: 'focus', description: 'The subject that matters to you, such as runway or growth.' },
    ],
    write: ({ focus }) =>
      [
        'Review my portfolio.',
        'List all companies with list_companies, page by page, and say how many there are.',
        'Read the metrics of each company whose access is approved and not paused, with read_metrics.',
        'Show one table: company, the main metrics with their period, and what stands out.',
        'List the other companies with their access. Don’t request access.',
        focus ? `Focus on ${focus}.` : '',
      ]
        .filter((line) => line !== '')
        .join('\n'),
  },
  {
    name: 'ask_for_access',
    title: 'Ask for access',
    description: 'Prepares a request for access to a company, and sends it if you agree.',
    arguments: [
      { name: 'company', description: 'Name or ID of the company.', required: true },
      { name: 'purpose', description: 'The purpose for which you use the data.' },
    ],
    write: ({ company, purpose }) =>
      [
        `Request access to the data of ${company}.`,
        'Find the company with list_companies and its argument search. Tell me which access I have now.',
        'Propose the scopes, metrics:read unless I need more.',
        purpose ? `The purpose is: ${purpose}` : 'Ask me what the data is for.',
        'Show me company, scopes and purpose, and call request_access only after I agree.',
        'Then call wait_for_decision once, and tell me the result.',
      ].join('\n'),
  },
];

export const prompts: Prompt[] = definitions.map(({ write: _, ...prompt }) => prompt);

/** Returns null if the prompt doesn't exist or a required argument is missing. */
export function writePrompt(
  name: string,
  args: Readonly<Record<string, string>> = {},
): GetPromptResult | null {
  const prompt = definitions.find((one) => one.name === name);
  const isComplete = prompt?.arguments?.every((one) => !one.required || args[one.name]);
  if (prompt === undefined || !isComplete) return null;
  return {
    ...(prompt.description !== undefined && { description: prompt.description }),
    messages: [{ role: 'user', content: { type: 'text', text: prompt.write(args) } }],
  };
}
