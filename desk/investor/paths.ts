import { withQuery } from '../address.ts';

export const portfolioPath = '/desk/portfolio';

/** This path can't collide with a company's page, because no company ID is `ask`. */
export const askSeveralPath = `${portfolioPath}/ask`;

export const companyPath = (companyId: string): string =>
  `${portfolioPath}/${encodeURIComponent(companyId)}`;

export const metricPath = (companyId: string, key: string): string =>
  `${companyPath(companyId)}/metrics/${encodeURIComponent(key)}`;

export const historyPath = (
  companyId: string,
  keys: readonly string[],
  form: 'csv' | 'xlsx',
  signatures?: 'yes',
): string => withQuery(`${companyPath(companyId)}/history.${form}`, { key: keys, signatures });
