// Node loads this module before the service. It logs each OpenTelemetry module that is loaded.
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, nextLoad) {
    if (url.includes('@opentelemetry')) process.stderr.write(`loaded ${url}\n`);
    return nextLoad(url, context);
  },
});
