export const portfolioPath = '/desk/portfolio';

export const companyPath = (companyId: string): string =>
  `${portfolioPath}/${encodeURIComponent(companyId)}`;

export const metricPath = (companyId: string, key: string): string =>
  `${companyPath(companyId)}/metrics/${encodeURIComponent(key)}`;

/** The histories of some metrics of a company, as a file. */
export const historyPath = (
  companyId: string,
  keys: readonly string[],
  form: 'csv' | 'xlsx',
): string => {
  const query = new URLSearchParams(keys.map((key) => ['key', key]));
  return `${companyPath(companyId)}/history.${form}?${query}`;
};
