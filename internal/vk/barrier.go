package vk

// BarrierKind is a set of orders between what was recorded before a barrier and what
// follows it: the first named is finished, and its writes are seen, before the second
// begins. Several may be joined with |. The ordinary barrier between dispatches is
// ComputeToCompute|ComputeToIndirect.
type BarrierKind uint32

// Barriers.
const (
	ComputeToCompute  BarrierKind = 1 << iota
	ComputeToIndirect             // to the counts of an indirect dispatch
	ComputeToTransfer             // to copies, fills and updates
	TransferToCompute
	TransferToIndirect
	TransferToTransfer
	ToHost // from shaders and transfers to Buffer.Bytes
)

// scopes is the stages and accesses on both sides of a barrier.
type scopes struct{ srcStage, dstStage, srcAccess, dstAccess uint32 }

// A source needs writes only: what was merely read needs the order, not the memory.
const (
	computeAccess  = accessShaderReadBit | accessShaderWriteBit
	transferAccess = accessTransferReadBit | accessTransferWriteBit
)

var barrierScopes = []struct {
	kind BarrierKind
	scopes
}{
	{ComputeToCompute, scopes{pipelineStageComputeShaderBit, pipelineStageComputeShaderBit, accessShaderWriteBit, computeAccess}},
	{ComputeToIndirect, scopes{pipelineStageComputeShaderBit, pipelineStageDrawIndirectBit, accessShaderWriteBit, accessIndirectCommandReadBit}},
	{ComputeToTransfer, scopes{pipelineStageComputeShaderBit, pipelineStageTransferBit, accessShaderWriteBit, transferAccess}},
	{TransferToCompute, scopes{pipelineStageTransferBit, pipelineStageComputeShaderBit, accessTransferWriteBit, computeAccess}},
	{TransferToIndirect, scopes{pipelineStageTransferBit, pipelineStageDrawIndirectBit, accessTransferWriteBit, accessIndirectCommandReadBit}},
	{TransferToTransfer, scopes{pipelineStageTransferBit, pipelineStageTransferBit, accessTransferWriteBit, transferAccess}},
	{ToHost, scopes{pipelineStageComputeShaderBit | pipelineStageTransferBit, pipelineStageHostBit,
		accessShaderWriteBit | accessTransferWriteBit, accessHostReadBit}},
}

func (k BarrierKind) scopes() (s scopes) {
	for _, b := range barrierScopes {
		if k&b.kind != 0 {
			s.srcStage |= b.srcStage
			s.dstStage |= b.dstStage
			s.srcAccess |= b.srcAccess
			s.dstAccess |= b.dstAccess
		}
	}
	return s
}
