"""From published weights to an ONNX file, with numpy alone."""
