import { z } from 'zod';

const names = ['HTTPS_PROXY', 'HTTP_PROXY'] as const;
const text = z.string().nullable().default(null);

/** Node uses the other proxy variables only if NODE_USE_ENV_PROXY is `1`. */
export const proxyVariables = {
  NODE_USE_ENV_PROXY: text,
  HTTPS_PROXY: text,
  HTTP_PROXY: text,
};

export const toProxies = (variables: z.output<z.ZodObject<typeof proxyVariables>>) => ({
  isUsed: variables.NODE_USE_ENV_PROXY === '1',
  urls: names.flatMap((name): [string, string][] => {
    const url = variables[name];
    return url === null ? [] : [[name, url]];
  }),
});
