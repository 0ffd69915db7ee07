import {
  type CallToolResult,
  ProtocolError as RpcError,
  Server,
} from '@modelcontextprotocol/server';
import { checkNames, logUnforeseen, ProtocolError, refusalOf } from '#http';
import type { Context } from './context.ts';
import { toolsFor } from './definitions.ts';
import { presentRefusal } from './refusals.ts';
import type { Tool } from './tool.ts';
import { toolNamed } from './tools.ts';

const instructions =
  'Verified financial data of the companies in a portfolio, read with the consent of each company. Begin with list_companies. Data of a company can be read once it has granted access: ask with request_access, say truly in purpose what the data is for, and let wait_for_decision tell you what became of it, or come back later, because people decide. A refusal has a code and a nextStep: follow it instead of calling again. Consent can be taken back at any time; then tell your user, and do not ask again by yourself. Amounts in rawValue and rawBalance are decimal text with every digit.';

/** The server of one request: it shows and does what the key of the request may. */
export function createServer(context: Context, version: string): Server {
  const server = new Server(
    { name: 'portfolio-access', title: 'Portfolio Access', version },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler('tools/list', () => ({ tools: toolsFor(context.caller) }));
  server.setRequestHandler('tools/call', ({ params }) => {
    const tool = toolNamed(params.name);
    if (tool === undefined) throw toRpcError(unknownTool, context);
    return callTool(tool, context, params.arguments);
  });
  server.fallbackRequestHandler = () => Promise.reject(toRpcError(unknownMethod, context));
  return server;
}

/** A tool that the key is not shown is called all the same, and refused as by any other way. */
async function callTool(tool: Tool, context: Context, input: object = {}): Promise<CallToolResult> {
  try {
    checkNames(input, Object.keys(tool.input.shape));
    return answer(await tool.call(context, input as never));
  } catch (error) {
    const refusal = refusalOf(error);
    context.setOutcome(refusal.code);
    logUnforeseen(context.log, refusal);
    return { ...answer({ error: presentRefusal(refusal, context) }), isError: true };
  }
}

/** Once, as text: all hosts hand that to their model, and many nothing else. */
const answer = (data: object): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(data) }],
});

const unknownTool = {
  number: -32_602,
  refusal: new ProtocolError('route_not_found', { message: 'There is no tool of this name.' }),
};

const unknownMethod = {
  number: -32_601,
  refusal: new ProtocolError('route_not_found', { message: 'This server has no such method.' }),
};

function toRpcError({ number, refusal }: typeof unknownTool, context: Context): RpcError {
  return new RpcError(number, refusal.message, presentRefusal(refusal, context));
}
