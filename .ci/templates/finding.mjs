// Preloaded by bin/plant-store.ts. Adds a stack of a bucket with cdk-nag findings.
import { App, Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';

const { synth } = App.prototype;
App.prototype.synth = function (...options) {
  new Bucket(new Stack(this, 'Finding'), 'Bucket');
  return synth.apply(this, options);
};
