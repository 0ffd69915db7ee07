import { z } from 'zod';
import { oneOf, url } from '../config-values.ts';
import type { proxyVariables } from '../proxies.ts';

export interface TracingSettings {
  readonly sampler: SamplerName;
  /** The share of new traces that are recorded by a sampler with a ratio. */
  readonly ratio: number;
  readonly usesProxy: boolean;
}

const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

type SamplerName = (typeof samplerNames)[number];

const ratio = z
  .string()
  .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'must be a number from 0 to 1')
  .transform(Number);

/** The OpenTelemetry variables that this service reads. The OpenTelemetry libraries read all others. */
export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http', 'https').nullable().default(null),
  OTEL_TRACES_SAMPLER: oneOf(...samplerNames).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: ratio.default(1),
};

type Variables = z.output<z.ZodObject<typeof tracingVariables & typeof proxyVariables>>;

export const toTracing = ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_TRACES_SAMPLER: sampler,
  OTEL_TRACES_SAMPLER_ARG: ratio,
  NODE_USE_ENV_PROXY: useProxy,
}: Variables): TracingSettings | null =>
  endpoint === null ? null : { sampler, ratio, usesProxy: useProxy === '1' };
