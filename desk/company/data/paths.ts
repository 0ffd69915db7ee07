export const dataPath = '/desk/data';

export const metricPath = (key: string): string => `${dataPath}/metrics/${encodeURIComponent(key)}`;
