import { expect, it } from 'vitest';
import { errorAnswers, errorCatalogue, errorCodes } from '#http';

const toMarkdown = (text: string) => text.replaceAll('<', '&lt;');

const sections = errorCodes.map((code) => {
  const { type, message } = errorCatalogue[code];
  const { status, remedy } = errorAnswers[code];
  return `## ${code}

**${status}** \`${type}\`

${toMarkdown(message)}

**Next step:** ${toMarkdown(remedy)}
`;
});

const page = `---
description: Every error code with its status, its meaning and what to do.
keywords: error codes, error list, status codes, documentation_url, refusal, troubleshooting
---

# Error codes

The service refuses a request with one of the codes below. The bold number is the HTTP status in REST. [Errors and retries](errors-and-retries.md) explains the other fields of an error.

| protocol | where the code is |
|---|---|
| REST, MCP | \`error.code\` |
| GraphQL | \`extensions.code\` of an error, and in capitals \`code\` of an \`AccessRefusal\` |
| tRPC | \`data.code\` |

${sections.join('\n')}`;

it('docs/errors.md explains each error code (update the page with: npx vitest run test/http/errors-page.test.ts -u)', async () => {
  await expect(page).toMatchFileSnapshot('../../docs/errors.md');
});
