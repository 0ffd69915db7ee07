import type { ErrorData } from '../trpc-adapter/index.ts';

/** An error from the service. `data.code` has the reason. */
export interface PortfolioAccessError extends Error {
  readonly data: ErrorData;
}

/** Returns true if the service returned the error. Other errors occurred on the way. */
export function isPortfolioAccessError(error: unknown): error is PortfolioAccessError {
  // Compares names, because a program can load this module twice: imported and required.
  return (
    error instanceof Error &&
    error.name === 'TRPCClientError' &&
    (error as Partial<PortfolioAccessError>).data?.code !== undefined
  );
}
