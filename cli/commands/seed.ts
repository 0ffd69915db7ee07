import type { Command } from 'commander';
import { demoInstructions, seedDemo } from '#demo';
import { answering } from '../answer.ts';
import type { Host } from '../host.ts';
import { addCommand } from '../options.ts';

export function addSeedCommand(program: Command, host: Host): void {
  addCommand(program, {
    name: 'seed',
    description:
      'set up the demo in the test environment: an investor, four companies, data and a key',
    examples: ['portfolio-access seed', 'portfolio-access seed --json'],
  }).action(
    answering(host, async (composition) => {
      const { publicUrl, host: address, port } = host.readConfig();
      const demo = await seedDemo(composition);
      return {
        json: {
          created: demo.secret !== null,
          investor_id: demo.investorId,
          company_ids: demo.companyIds,
          key_id: demo.keyId,
          ...(demo.secret !== null && { secret: demo.secret }),
        },
        text: demoInstructions(demo, publicUrl ?? `http://${address}:${port}`),
      };
    }),
  );
}
