// Loaded before the service. Logs which modules of OpenTelemetry are loaded, by import or by require.
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, nextLoad) {
    if (url.includes('@opentelemetry')) process.stderr.write(`loaded ${url}\n`);
    return nextLoad(url, context);
  },
});
