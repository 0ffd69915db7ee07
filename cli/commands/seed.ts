import type { Command } from 'commander';
import { demoInstructions, seedDemo, signInToDemo } from '#demo';
import { deskUrl, signInUrl } from '../../gateway/mail/links.ts';
import type { CliContext } from '../context.ts';
import { addCommand } from '../options.ts';
import { action } from '../output.ts';
import { serviceUrl } from './desk.ts';

const description =
  'set up the demo in the test environment: an investor, four companies, data and a key';

export function addSeedCommand(program: Command, context: CliContext): void {
  addCommand(program, 'seed', description, ['', '--json']).action(
    action(context, async (composition) => {
      const config = context.readConfig();
      const demo = await seedDemo(composition);
      const url = serviceUrl(config);
      const token = config.desk ? await signInToDemo(composition.operatorUseCases) : null;
      return {
        json: {
          created: demo.secret !== null,
          investor_id: demo.investorId,
          company_ids: demo.companyIds,
          key_id: demo.keyId,
          ...(demo.secret !== null && { secret: demo.secret }),
        },
        text: demoInstructions(demo, url, token && signInUrl(deskUrl(url), token)),
      };
    }),
  );
}
