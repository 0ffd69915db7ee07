export const compact = (value: number, currency?: string | null): string =>
  new Intl.NumberFormat('en', {
    notation: 'compact',
    maximumFractionDigits: 1,
    ...(currency && { style: 'currency', currency }),
  }).format(value);

const inForm = (options: Intl.DateTimeFormatOptions) => (instant: string) =>
  new Intl.DateTimeFormat('en', { timeZone: 'UTC', ...options }).format(new Date(instant));

export const month = inForm({ month: 'short', year: '2-digit' });
export const day = inForm({ dateStyle: 'medium' });
