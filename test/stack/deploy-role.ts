import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';

const app = new App({ outdir: temporaryFolder(), builtinCloudFormationValidation: false });
const templateFile = join(root, '.github', 'deploy-role.yaml');
new CfnInclude(new Stack(app, 'DeployRole'), 'Template', { templateFile });

/** The template of the role of GitHub Actions, .github/deploy-role.yaml. */
export const { Parameters, Resources } = app.synth().getStackByName('DeployRole').template;
