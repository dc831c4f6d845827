/** Digests of the files of skillshelf-encoder that are read. Written by `npm run train:encoder`. */
export const ENCODER_DIGESTS = {
  'config.json': 'sha256:d4af68401d05c211555481966da205c11ebf180647e5ae38855e084d4cc8a3c0',
  'tokenizer.json': 'sha256:62771eedcee8ceaefabc51b44ea0b6dbc94f4586738a2373dce490afa859f028',
  'tokenizer_config.json':
    'sha256:91eabcdfc12fccd920c439e70286459e3e9802bae9c4e9b2372e506554efc8d8',
  'onnx/model_q4.onnx': 'sha256:3b39c71be2eb1b551fa85490f38b2c165c5f355925fe30b5d174da29373e0016',
} as const satisfies Readonly<Record<string, string>>
