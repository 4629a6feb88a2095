package house

// Planned names packages of the design that rules speak of before they exist.
const Planned = "internal/viewer"

// Layers is who may import whom, from the bottom up. The first row that names a
// package binds it.
var Layers = []Layer{
	{"internal/fault internal/geom internal/metrics internal/atomicfile", "",
		"the bottom knows nothing of what is built on it"},
	{"internal/gaussian", "internal/geom internal/fault",
		"the splat model is data; how it is drawn, trained or stored is not its business"},
	{"internal/config", "internal/fault",
		"everything may read the configuration, so it reads nothing"},
	{"internal/imageio", "internal/fault internal/atomicfile",
		"a picture knows no camera"},
	{"internal/sysinfo", "",
		"the machine is asked, whoever wants to know"},
	{"internal/safetensors", "internal/fault",
		"it reads arrays, not splats"},
	{"internal/checkpoint", "internal/fault",
		"the format carries named arrays and knows no engine: whoever writes or reads them says what they mean"},
	{"internal/dataset/...", "internal/fault internal/geom internal/imageio internal/dataset/...",
		"a capture is read without knowing what it is for: readers are tested on files alone"},
	{"internal/splatio/...", "internal/fault internal/geom internal/gaussian internal/atomicfile internal/splatio/...",
		"a splat file is read and written without an engine"},
	{"internal/demo", "internal/fault internal/geom internal/imageio internal/atomicfile",
		"the demo's capture is a witness against the pipeline: code shared with it could hide a mistake in both"},

	{"internal/vk internal/vk/gen", "",
		"the binding and its generator know Vulkan and nothing of splats"},
	{"internal/kernel", "",
		"contracts and recordings describe work for any device"},
	{"internal/vec internal/vec/gen", "internal/kernel",
		"loops over rows as the contracts lay them out; they know no backend"},
	{"internal/kernel/cpu", "internal/kernel internal/sysinfo internal/vec",
		"a backend executes recordings; it does not know what they mean"},
	{"internal/kernel/null", "internal/kernel",
		"a backend executes recordings; it does not know what they mean"},
	{"internal/kernel/vulkan", "internal/atomicfile internal/kernel internal/vk shaders",
		"a backend executes recordings; it does not know what they mean"},
	{"internal/kernel/twin", "internal/kernel",
		"a backend made of two others: it is given them, and how to compare them, and knows neither"},
	{"internal/kernel/kerneltest", "internal/kernel internal/kernel/cpu internal/pipeline internal/train/strategy/...",
		"the suite compares backends on recordings, below any training loop"},
	{"shaders", "internal/kernel",
		"a shader is the device's side of a contract; the table of them knows no backend"},
	{"shaders/gen", "internal/kernel shaders",
		"it writes from the contracts what shaders include, and compiles them"},
	{"internal/pipeline", "internal/kernel",
		"recordings are the same for every backend"},
	{"internal/prof", "internal/kernel",
		"it formats measurements, whoever took them"},

	{"internal/backend", "internal/config internal/fault internal/kernel internal/kernel/cpu internal/kernel/kerneltest internal/kernel/twin internal/kernel/vulkan",
		"the one place that chooses a device; --check takes its tolerances from the conformance suite"},
	{"internal/train/strategy/adc internal/train/strategy/mcmc", "internal/kernel internal/pipeline",
		"a strategy is a list of kernels and may use nothing that a device has not"},
	{"internal/train/strategy", "internal/kernel internal/pipeline internal/train/strategy/...",
		"a strategy is a list of kernels and may use nothing that a device has not"},
	{"internal/train", "internal/backend internal/checkpoint internal/config internal/dataset internal/fault internal/gaussian internal/geom " +
		"internal/imageio internal/kernel internal/kernel/null internal/metrics internal/pipeline internal/prof " +
		"internal/splatio internal/sysinfo internal/train/strategy",
		"the loop knows neither flags nor folders; it tells an observer. It plans on the null backend and runs on what backend.Open returns"},
	{"internal/bench", "internal/kernel internal/kernel/null internal/pipeline internal/sysinfo internal/vec",
		"workloads are made of nothing but a seed: no capture, no configuration, no loop"},
	{"internal/lab", "internal/atomicfile internal/checkpoint internal/config internal/fault",
		"the record of a run is read and written without an engine"},

	{"internal/cli", "internal/atomicfile internal/backend internal/bench internal/checkpoint internal/config internal/dataset internal/demo internal/fault internal/gaussian " +
		"internal/geom internal/imageio internal/kernel internal/kernel/kerneltest internal/lab internal/splatio internal/splatio/ply " +
		"internal/sysinfo internal/train internal/vec shaders",
		"commands put the parts together; they do not reach into the pipeline. doctor runs the conformance suite, names the instruction path and lists the builds of shaders"},
	{"cmd/splat", "internal/cli",
		"main hands over to cli and does nothing else"},
	{"internal/house internal/dist", "",
		"rules about code and packing are no part of it"},
}

// Owners is who may import what from outside.
var Owners = []Owner{
	{"github.com/spf13/cobra/... github.com/spf13/pflag/...", "internal/cli",
		"the command line library stays replaceable"},
	{"github.com/vbauerster/mpb/v8/... golang.org/x/term", "internal/cli",
		"only the command line knows about terminals"},
	{"github.com/pelletier/go-toml/v2/...", "internal/config",
		"TOML is read and written in one place, so every error names file and line"},
	{"github.com/mmcloughlin/avo/...", "internal/vec/gen",
		"assembly is generated in one place, and the program does without the generator"},
	{"golang.org/x/image/...", "internal/imageio",
		"all pictures pass one decoder with one meaning of alpha"},
	{"github.com/bep/imagemeta/...", "internal/imageio",
		"EXIF belongs to pictures: what decodes them tells their orientation"},
	{"github.com/ebitengine/purego/...", "internal/vk",
		"foreign calls need care with memory; one package takes it"},
	{"unsafe", "internal/kernel internal/kernel/cpu internal/kernel/vulkan internal/vk",
		"only buffers shared with a device need it"},
	{"C", "",
		"the program builds without cgo"},
	{"math/rand", "",
		"its default source is not seeded: use math/rand/v2 with the run's seed"},
	{"testing", "internal/dataset/colmap/colmaptest",
		"the program must not carry the test framework; helpers for tests live in packages of their own, or ask for no more than an interface"},
	{"github.com/google/go-cmp/... pgregory.net/rapid/... github.com/rogpeppe/go-internal/...", "",
		"a library for tests"},
}

// Walls is where no chain of imports may lead.
var Walls = []Wall{
	{"internal/...", "cmd/...", "the program is the top"},
	{"internal/train/... internal/lab internal/demo internal/backend", "internal/cli",
		"what the command line is built on must work without it"},
	{"internal/pipeline internal/train/strategy/...", "internal/kernel/cpu internal/kernel/null internal/kernel/vulkan internal/backend internal/train internal/cli",
		"what runs on every device knows none"},
	{"internal/kernel", "internal/...", "kernels are described without knowing what they are used for"},
	{"internal/gaussian internal/splatio/... internal/dataset/...", "internal/kernel/... internal/pipeline internal/train/... internal/lab",
		"data is read, held and written without an engine"},
	{"cmd/splat", "internal/dataset/colmap/colmaptest internal/safetensors internal/house internal/dist",
		"packing and helpers for tests are no part of the program; the conformance suite is, for splat doctor --selftest"},
}
