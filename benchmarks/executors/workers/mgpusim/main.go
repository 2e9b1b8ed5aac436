// Carries dispatches out on MGPUSim's functional model of CDNA 3 (amd/emu/cdna3), instruction by instruction.
//
// The simulator's own compute unit is not used: it reads the kernel descriptor four bytes early and sets registers up
// in its own way. Waves, their registers, barriers and memory are set up here as the dispatch says; decoding and every
// instruction's effect are MGPUSim's. It knows no undecoded instruction, no address outside the regions, and panics;
// the other side reads of what from standard error.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/sarchlab/akita/v4/mem/vm"
	"github.com/sarchlab/mgpusim/v4/amd/emu"
	"github.com/sarchlab/mgpusim/v4/amd/emu/cdna3"
	"github.com/sarchlab/mgpusim/v4/amd/insts"
)

type dispatch struct {
	Entry        uint64      `json:"entry"`
	Grid         [3]int      `json:"grid"`
	Block        [3]int      `json:"block"`
	UserSgprs    []uint32    `json:"user_sgprs"`
	BlockIndices [3]bool     `json:"block_indices"`
	LdsBytes     int         `json:"lds_bytes"`
	ScratchBytes int         `json:"scratch_bytes"`
	Regions      [][2]uint64 `json:"regions"`
}

// memory is bytes at addresses; an access outside of them ends the process.
type memory struct {
	starts []uint64
	data   [][]byte
}

func (m *memory) at(address, size uint64) []byte {
	for k, start := range m.starts {
		if address >= start && address+size <= start+uint64(len(m.data[k])) {
			return m.data[k][address-start : address-start+size]
		}
	}
	panic(fmt.Sprintf("%d bytes at %#x lie in no region", size, address))
}

func (m *memory) Read(_ vm.PID, address, size uint64) []byte {
	return append([]byte(nil), m.at(address, size)...)
}

func (m *memory) Write(_ vm.PID, address uint64, data []byte) {
	copy(m.at(address, uint64(len(data))), data)
}

// wave is MGPUSim's wavefront, with the instruction that it executes.
type wave struct {
	*emu.Wavefront
	instruction *insts.Inst
	done        bool
}

func (w *wave) Inst() *insts.Inst { return w.instruction }

type machine struct {
	dispatch
	memory  *memory
	alu     *cdna3.ALU
	decoder *insts.Disassembler
	decoded map[uint64]*insts.Inst
}

// waves of one block, their registers as the packet processor leaves them.
func (m *machine) waves(block [3]int) []*wave {
	threads := m.Block[0] * m.Block[1] * m.Block[2]
	var found []*wave
	for first := 0; first < threads; first += 64 {
		w := &wave{Wavefront: emu.NewWavefront(nil)}
		w.SetPC(m.Entry)
		lanes := min(64, threads-first)
		w.SetEXEC(^uint64(0) >> (64 - lanes))
		words := append([]uint32(nil), m.UserSgprs...)
		for k, wanted := range m.BlockIndices {
			if wanted {
				words = append(words, uint32(block[k]))
			}
		}
		for k, word := range words {
			binary.LittleEndian.PutUint32(w.SRegFile[4*k:], word)
		}
		for lane := 0; lane < lanes; lane++ {
			thread := first + lane
			x, y, z := thread%m.Block[0], thread/m.Block[0]%m.Block[1], thread/(m.Block[0]*m.Block[1])
			binary.LittleEndian.PutUint32(w.VRegFile[lane*256*4:], uint32(x|y<<10|z<<20))
		}
		found = append(found, w)
	}
	return found
}

// toBarrier runs a wave up to its next barrier, or its end.
func (m *machine) toBarrier(w *wave) {
	for !w.done {
		pc := w.PC()
		instruction, known := m.decoded[pc]
		if !known {
			var err error
			if instruction, err = m.decoder.Decode(m.memory.at(pc, 8)); err != nil {
				panic(fmt.Sprintf("%v, not supported: %x", err, m.memory.at(pc, 8)))
			}
			m.decoded[pc] = instruction
		}
		w.instruction = instruction
		w.SetPC(pc + uint64(instruction.ByteSize))
		if instruction.FormatType == insts.SOPP && instruction.Opcode == 1 { // S_ENDPGM
			w.done = true
			return
		}
		if instruction.FormatType == insts.SOPP && instruction.Opcode == 10 { // S_BARRIER
			return
		}
		m.alu.Run(w)
	}
}

func (m *machine) run() {
	for z := 0; z < m.Grid[2]; z++ {
		for y := 0; y < m.Grid[1]; y++ {
			for x := 0; x < m.Grid[0]; x++ {
				m.alu.SetLDS(make([]byte, m.LdsBytes))
				waves := m.waves([3]int{x, y, z})
				for left := len(waves); left > 0; {
					left = 0
					for _, w := range waves {
						m.toBarrier(w)
						if !w.done {
							left++
						}
					}
				}
			}
		}
	}
}

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	os.Stdout = os.Stderr // what the simulator prints is no answer
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		m := &machine{memory: &memory{}, decoder: insts.NewDisassembler(), decoded: map[uint64]*insts.Inst{}}
		if err := json.Unmarshal(line, &m.dispatch); err != nil {
			panic(err)
		}
		m.alu = cdna3.NewALU(m.memory)
		for _, region := range m.Regions {
			data := make([]byte, region[1])
			if _, err := io.ReadFull(in, data); err != nil {
				panic(err)
			}
			m.memory.starts, m.memory.data = append(m.memory.starts, region[0]), append(m.memory.data, data)
		}
		if m.ScratchBytes > 0 {
			fmt.Fprintln(out, `{"unknown": "scratch"}`)
			out.Flush()
			continue
		}
		m.run()
		fmt.Fprintln(out, `{"ran": true}`)
		for _, data := range m.memory.data {
			out.Write(data)
		}
		out.Flush()
	}
}
