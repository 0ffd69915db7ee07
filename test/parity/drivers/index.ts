import type { TestService } from '../../support/service.ts';
import { createGraphqlDriver, type GraphqlDriver } from './graphql.ts';
import { createMcpDriver, type McpDriver } from './mcp.ts';
import { createRestDriver, type RestDriver } from './rest.ts';
import { createTrpcDriver, type TrpcDriver } from './trpc.ts';

export interface Drivers {
  readonly rest: RestDriver;
  readonly graphql: GraphqlDriver;
  readonly trpc: TrpcDriver;
  readonly mcp: McpDriver;
}

export function createDrivers({ url, check }: TestService): Drivers {
  return {
    rest: createRestDriver(url, check),
    graphql: createGraphqlDriver(url),
    trpc: createTrpcDriver(url),
    mcp: createMcpDriver(url),
  };
}
