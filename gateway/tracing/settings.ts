import { z } from 'zod';
import { oneOf, url } from '../config-values.ts';

/** How spans are chosen and where they go. */
export interface TracingSettings {
  /** Where spans are posted to. */
  readonly url: string;
  /** Null: as OTEL_RESOURCE_ATTRIBUTES says, or the name of this package. */
  readonly serviceName: string | null;
  readonly sampler: SamplerName;
  /** Of the traces that begin here, for the samplers that take a part of them. */
  readonly ratio: number;
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

/** The variables of OpenTelemetry that the service looks at; its library reads more of them by itself. */
export const tracingVariables = {
  OTEL_SDK_DISABLED: oneOf('true', 'false').default('false'),
  OTEL_TRACES_EXPORTER: oneOf('otlp', 'none').nullable().default(null),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http', 'https').nullable().default(null),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url('http', 'https').nullable().default(null),
  OTEL_EXPORTER_OTLP_PROTOCOL: oneOf('http/protobuf').default('http/protobuf'),
  OTEL_SERVICE_NAME: z.string().nullable().default(null),
  OTEL_TRACES_SAMPLER: oneOf(...samplerNames).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: ratio.default(1),
};

type Variables = z.output<z.ZodObject<typeof tracingVariables>>;

/** Where a collector on this machine listens. */
const localCollector = 'http://localhost:4318';

/** Null: no traces. They are sent when an address is given, or the exporter is asked for by its name. */
export function toTracing({
  OTEL_SDK_DISABLED: isDisabled,
  OTEL_TRACES_EXPORTER: exporter,
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesEndpoint,
  OTEL_SERVICE_NAME: serviceName,
  OTEL_TRACES_SAMPLER: sampler,
  OTEL_TRACES_SAMPLER_ARG: part,
}: Variables): TracingSettings | null {
  const isWanted = exporter === 'otlp' || endpoint !== null || tracesEndpoint !== null;
  if (isDisabled === 'true' || exporter === 'none' || !isWanted) return null;
  const base = (endpoint ?? localCollector).replace(/\/+$/, '');
  return { url: tracesEndpoint ?? `${base}/v1/traces`, serviceName, sampler, ratio: part };
}
