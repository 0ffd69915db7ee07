import type { ErrorData } from '../trpc-adapter/index.ts';

/** A refusal of the service: `data.code` says why. */
export interface PortfolioAccessError extends Error {
  readonly data: ErrorData;
}

/** Whether the service itself refused; any other error never came as far as that. */
export function isPortfolioAccessError(error: unknown): error is PortfolioAccessError {
  // By its name: a program may hold this module twice, as one that is imported and one that is required.
  return (
    error instanceof Error &&
    error.name === 'TRPCClientError' &&
    (error as Partial<PortfolioAccessError>).data?.code !== undefined
  );
}
