import {
  type CallToolResult,
  type InputRequiredResult,
  type InputResponseView,
  inputRequired,
  inputResponse,
  ProtocolError as RpcError,
  Server,
} from '@modelcontextprotocol/server';
import { AccessError, parseInput } from '#core';
import {
  type CallerRefusal,
  checkNames,
  logIfInternalError,
  ProtocolError,
  refusalOf,
} from '#http';
import type { Context } from './context.ts';
import { toolsFor } from './definitions.ts';
import { prompts, writePrompt } from './prompts.ts';
import { presentRefusal } from './refusals.ts';
import type { Tool } from './tool.ts';
import { toolNamed } from './tools.ts';

const instructions =
  'Verified financial data of the companies in a portfolio, read with each company’s consent. Start with list_companies. A company’s data can be read after the company has granted access. Request access with request_access and state the real use of the data in purpose. Then call wait_for_decision, or come back later, because people decide. A refusal has a code and a nextStep: follow it instead of calling again. A company can revoke access at any time. Then tell your user, and don’t request access again on your own. Amounts in rawValue and rawBalance are decimal text with every digit.';

export function createServer(context: Context, version: string): Server {
  const server = new Server(
    { name: 'portfolio-access', title: 'Portfolio Access', version },
    { capabilities: { prompts: {}, tools: {} }, instructions },
  );
  server.setRequestHandler('tools/list', () => ({ tools: toolsFor(context.caller) }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const tool = toolNamed(params.name);
    if (tool === undefined) throw toRpcError(unknownTool, context);
    const user = {
      canAnswer: server.getClientCapabilities()?.elicitation?.form !== undefined,
      answer: inputResponse(mcpReq.inputResponses, question),
    };
    return callTool(tool, context, user, params.arguments);
  });
  server.setRequestHandler('prompts/list', () => ({ prompts }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = writePrompt(params.name, params.arguments);
    if (prompt === null) throw toRpcError(unknownPrompt, context);
    return prompt;
  });
  server.fallbackRequestHandler = () => Promise.reject(toRpcError(unknownMethod, context));
  return server;
}

/** Also calls a tool that the API key doesn't see. The use case then returns an error that names the missing scope. */
async function callTool(
  tool: Tool,
  context: Context,
  user: User,
  input: object = {},
): Promise<CallToolResult | InputRequiredResult> {
  try {
    checkNames(input, Object.keys(tool.input.shape));
    if (tool.consent && user.canAnswer) {
      const message = tool.consent.question(parseInput(tool.input, input));
      if (user.answer.kind !== 'elicit') return ask(message);
      if (user.answer.action !== 'accept') return answer(tool.consent.declined);
    }
    return answer(await tool.call(context, input as never));
  } catch (error) {
    const refusal = refusalOf(error);
    context.setOutcome(refusal.code);
    logIfInternalError(context.log, refusal);
    return { ...answer({ error: presentRefusal(refusal, context) }), isError: true };
  }
}

interface User {
  /** True if the host can ask the user a question. Older hosts never announce this. */
  readonly canAnswer: boolean;
  /** The user's answer. Present if the host repeats the call with that answer. */
  readonly answer: InputResponseView;
}

const question = 'consent';

/** The host asks the user, and then repeats the call with the answer. */
const ask = (message: string): InputRequiredResult =>
  inputRequired({
    inputRequests: {
      [question]: inputRequired.elicit({
        message,
        requestedSchema: { type: 'object', properties: {} },
      }),
    },
  });

/** Many hosts pass only the text to their model. */
const answer = (data: object): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(data) }],
});

interface RpcRefusal {
  readonly number: number;
  readonly refusal: CallerRefusal;
}

const unknownTool = {
  number: -32_602,
  refusal: new ProtocolError('route_not_found', { message: 'This tool doesn’t exist.' }),
};

const unknownPrompt = {
  number: -32_602,
  refusal: new AccessError('invalid_parameter', {
    message: 'The prompt doesn’t exist, or a required argument is missing.',
  }),
};

const unknownMethod = {
  number: -32_601,
  refusal: new ProtocolError('route_not_found', { message: 'This server has no such method.' }),
};

function toRpcError({ number, refusal }: RpcRefusal, context: Context): RpcError {
  return new RpcError(number, refusal.message, presentRefusal(refusal, context));
}
