/** The finding about the configuration, and what holds. */
import { configSchema, type Config } from '../../contract/config.ts';
import { AppError } from '../../contract/errors.ts';
import { ill, remedyOf, well, type Finding } from '../render/findings.ts';

/** With a mistake in the file every default is looked at instead. */
export async function checkConfig(home: string): Promise<{ finding: Finding; config: Config }> {
  const { configFile, loadConfig } = await import('../../config/index.ts');
  try {
    const config = loadConfig(home);
    const what = configFile(home) ?? 'no file, every default holds';
    return { finding: well('configuration', what), config };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const finding = ill('error', 'configuration', {
      what: error.message,
      why: 'New requests are refused, and nothing starts with it.',
      remedy: remedyOf(error, 'mend the file, then: offshoot config check'),
    });
    return { finding, config: configSchema.parse({}) };
  }
}
